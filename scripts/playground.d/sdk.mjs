// What the JavaScript SDK makes of everything that the bots sent in the scenes: its server side of the connector must take
// each request as it was meant, its bots must hear each activity, and no member may have another type than its schema says.
import http from 'node:http';

/** `sent` are exchanges from the bot to the channel, and activities (as `{ sent }`) out of answers. */
export async function accepts(require, sent, checks) {
  const sdk = require('botbuilder');
  const schema = require('botframework-schema');
  const auth = new sdk.ConfigurationBotFrameworkAuthentication({});
  const channel = await serve(require, sdk, auth);
  const adapter = new sdk.CloudAdapter(auth);
  try {
    for (const exchange of sent) {
      const activity = exchange.sent;
      const what = `${exchange.method ?? 'an answer with a'} ${activity.type}`;
      if (exchange.url) {
        const heard = await channel.take(exchange);
        checks.now(`botbuilder's connector takes ${what}`, heard, meant(exchange));
      }
      checks.now(`a bot of botbuilder hears ${what}`, await hear(adapter, activity), activity.type);
      checks.now(`types in ${what} that are not the schema's`, misfits(schema, activity), []);
    }
  } finally {
    channel.close();
  }
}

/** What a request says, as the SDK's handlers are to be told. */
function meant({ method, url, sent }) {
  const [, conversation, activity] = /conversations\/([^/]+)\/activities(?:\/(.+))?$/.exec(url);
  const calls = { PUT: 'update', POST: activity ? 'reply' : 'send' };
  const { text, attachments } = sent;
  const ids = [conversation, activity].map((id) => id && decodeURIComponent(id));
  return [calls[method], ...ids, { text, attachments }];
}

/** The server side of the connector: its routes on a server of ours, its handlers telling what they were given. */
async function serve(require, sdk, auth) {
  const { CloudChannelServiceHandler } = require('botbuilder/lib/cloudChannelServiceHandler');
  let heard;
  const hear = (call, conversation, activity, { text, attachments }) => {
    heard = [call, conversation, activity, { text, attachments }];
    return { id: '1' };
  };
  class Handler extends CloudChannelServiceHandler {
    onReplyToActivity = async (_, ...told) => hear('reply', ...told);
    onUpdateActivity = async (_, ...told) => hear('update', ...told);
    onSendToConversation = async (_, conversation, told) => hear('send', conversation, undefined, told);
  }
  const routes = [];
  const add = (method) => (path, handle) => routes.push({ method, path: pattern(path), handle });
  const web = { get: add('GET'), post: add('POST'), put: add('PUT'), del: add('DELETE'), delete: add('DELETE') };
  new sdk.ChannelServiceRoutes(new Handler(auth)).register(web, '');
  const server = http.createServer((request, response) => dispatch(routes, request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  const take = async ({ method, url, sent }) => {
    heard = undefined;
    const headers = { 'content-type': 'application/json' };
    const path = url.slice(url.indexOf('/v3/'));
    const answer = await fetch(base + path, { method, headers, body: JSON.stringify(sent) });
    return answer.ok ? heard : `${answer.status}: ${await answer.text()}`;
  };
  return { take, close: () => server.close() };
}

/** `/a/:b` as an expression with a group called b. */
function pattern(path) {
  return new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}

async function dispatch(routes, request, response) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const found = routes.find(({ method, path }) => method === request.method && path.test(request.url));
  if (!found) return response.writeHead(404).end();
  const groups = Object.entries(found.path.exec(request.url).groups ?? {});
  request.params = Object.fromEntries(groups.map(([name, text]) => [name, decodeURIComponent(text)]));
  request.body = JSON.parse(Buffer.concat(parts).toString());
  // The SDK was written for two web frameworks; this is what it needs of them.
  const answer = {
    status: (code) => (response.statusCode = code),
    header: (name, value) => response.setHeader(name, value),
    send: (body) => response.write(typeof body === 'string' ? body : JSON.stringify(body)),
    end: () => response.end(),
  };
  const next = (error) => error && response.writeHead(500).end(String(error));
  return found.handle(request, answer, next);
}

/** What kind of activity a bot of the SDK hears when it is sent this one, or why it hears none. */
async function hear(adapter, activity) {
  let heard, status;
  const response = { status: (code) => (status = code), header() {}, send() {}, end() {} };
  const request = { method: 'POST', headers: {}, body: { ...activity, id: '1' } };
  await adapter.process(request, response, async (context) => (heard = context.activity.type));
  return heard ?? `status ${status}`;
}

/** The members that are there and have another type. The schema calls members required that no channel sends. */
function misfits(schema, activity) {
  try {
    schema.assertActivity(activity);
    return [];
  } catch (error) {
    return error.issues.filter((issue) => issue.received !== 'undefined');
  }
}
