// A proxy that remembers: what the two sides say to each other passes through it unchanged.
import fs from 'node:fs';
import http from 'node:http';

/**
 * Listens on a port of the loopback and passes every request on to another; `log` gets a line for each. `open` tells how
 * many have no answer yet.
 */
export async function wire(port, target, log) {
  const exchanges = [];
  let count = 0;
  let open = 0;
  const server = http.createServer((request, response) => {
    const nth = count++;
    open += 1;
    pass(request, target).then(({ exchange, headers, body }) => {
      // First remembered, then answered: who has the answer finds the exchange.
      exchanges.push({ nth, ...exchange });
      // They stand as they came, not as they were answered.
      exchanges.sort((one, other) => one.nth - other.nth);
      open -= 1;
      fs.appendFileSync(log, `${JSON.stringify(exchange)}\n`);
      response.writeHead(exchange.status, headers).end(body);
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return { exchanges, open: () => open, close: () => close(server) };
}

async function pass(request, target) {
  const began = Date.now();
  const { method, url } = request;
  const sent = await whole(request);
  const exchange = { at: new Date(began).toISOString(), method, url, sent: parsed(sent) };
  try {
    const answer = await forward(request, sent, target);
    const body = await whole(answer);
    Object.assign(exchange, { status: answer.statusCode, answered: parsed(body) });
    return { exchange: { ...exchange, ms: Date.now() - began }, headers: answer.headers, body };
  } catch (error) {
    return { exchange: { ...exchange, status: 502, error: error.message }, headers: {}, body: '' };
  }
}

function forward({ method, url, headers }, body, port) {
  return new Promise((resolve, reject) => {
    const host = `127.0.0.1:${port}`;
    const options = { host: '127.0.0.1', port, method, path: url, headers: { ...headers, host } };
    http.request(options, resolve).once('error', reject).end(body);
  });
}

async function whole(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

/** JSON as what it means, anything else as its first words. */
function parsed(body) {
  const text = body.toString('utf8');
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text.slice(0, 500);
  }
}

function close(server) {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}
