/** 400 kbit/s, 400 ms and a CPU slowed down four times (SPECIFICATION.md D34). */
export async function slowDown(page) {
  const chrome = await page.context().newCDPSession(page);
  await chrome.send('Network.enable');
  await chrome.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: 400_000 / 8,
    uploadThroughput: 400_000 / 8,
  });
  await chrome.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}
