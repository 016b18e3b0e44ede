// Reloads the list when another mail is the newest.
const list = document.getElementById('list');
setInterval(async () => {
  if (document.hidden || document.activeElement?.id === 'query') return;
  const answer = await fetch('/api/v1/messages?limit=1').catch(() => null);
  if (!answer?.ok) return;
  const { messages } = await answer.json();
  if ((messages[0]?.ID ?? '') !== list.dataset.newest) location.reload();
}, 2000);
