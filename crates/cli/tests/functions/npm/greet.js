// A function as anyone writes one for the fetch event, with nothing of this project in it.
addEventListener("fetch", (event) => event.respondWith(answer(event.request)));

async function answer(request) {
  const url = new URL(request.url);
  const target = request.headers.get("x-target");
  if (target) {
    const heard = await fetch(target);
    return Response.json({ status: heard.status, body: await heard.text() });
  }
  const { name = "World" } = request.method === "POST" ? await request.json() : {};
  console.log(`greeting ${name}`);
  return Response.json({ message: `Hello ${name}!`, method: request.method, path: url.pathname + url.search });
}
