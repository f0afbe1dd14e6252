// A bot on the JavaScript SDK that calls another bot as its skill. It is driven over HTTP by a test, which it tells what
// it was sent: every request to its skill endpoint with the claims of its token, what its own logic heard, and what its
// users saw. Arguments: the login service, the app id of this bot, and the app id and the URL of the skill.
'use strict';
const http = require('node:http');
const { CloudAdapter, CloudSkillHandler, ChannelServiceRoutes, ConfigurationBotFrameworkAuthentication } = require('botbuilder');
const { MemoryStorage, SkillConversationIdFactory } = require('botbuilder');
const { AppCredentials, AuthenticationConfiguration, allowedCallersClaimsValidator } = require('botframework-connector');

const [login, own, skill, skillUrl] = process.argv.slice(2);
const CHANNELS = 'https://api.botframework.com';

/** MSAL calls nobody but https addresses; this asks the same of a login service on loopback. */
class Credentials extends AppCredentials {
  async refreshToken() {
    const scope = this.oAuthScope.endsWith('/.default') ? this.oAuthScope : `${this.oAuthScope}/.default`;
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: this.appId, client_secret: 's', scope });
    const answer = await (await fetch(`${login}/tenant/oauth2/v2.0/token`, { method: 'POST', body })).json();
    return { accessToken: answer.access_token, expiresOn: new Date(Date.now() + 3600_000) };
  }
}

const factory = {
  isValidAppId: async (id) => id === own,
  isAuthenticationDisabled: async () => false,
  createCredentials: async (id, audience) => new Credentials(id, undefined, audience),
};
const settings = {
  ValidateAuthority: true,
  ToChannelFromBotLoginUrl: login,
  ToChannelFromBotOAuthScope: CHANNELS,
  ToBotFromChannelTokenIssuer: CHANNELS,
  OAuthUrl: login,
  ToBotFromChannelOpenIdMetadataUrl: `${login}/metadata`,
  ToBotFromEmulatorOpenIdMetadataUrl: `${login}/login-metadata`,
};
const claims = new AuthenticationConfiguration([], allowedCallersClaimsValidator([skill]));
const auth = new ConfigurationBotFrameworkAuthentication(settings, factory, claims);
const adapter = new CloudAdapter(auth);
const conversations = new SkillConversationIdFactory(new MemoryStorage());

const told = { requests: [], heard: [], seen: [], errors: [] };
adapter.onTurnError = async (_, error) => void told.errors.push(String(error));
const logic = async ({ activity: { type, code, text, value, channelId } }) => void told.heard.push({ type, code, text, value, channelId });

const routes = [];
const add = (method) => (path, handle) => {
  routes.push({ method, path: new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`), handle });
};
const web = { get: add('GET'), post: add('POST'), put: add('PUT'), del: add('DELETE'), delete: add('DELETE') };
new ChannelServiceRoutes(new CloudSkillHandler(adapter, logic, conversations, auth)).register(web, '/api/skills');

let base;
const started = new Map();

/** Calls the skill as this bot would in a turn with its user, in one conversation per talk. */
async function call({ talk = 'c', ...more }) {
  const activity = {
    type: 'message', id: String(Date.now() + Math.random()), channelId: 'webchat', serviceUrl: `${base}/channel`,
    from: { id: 'ann' }, recipient: { id: 'parent' }, conversation: { id: talk }, ...more,
  };
  if (!started.has(talk)) {
    const options = { fromBotOAuthScope: CHANNELS, fromBotId: own, activity, botFrameworkSkill: { appId: skill } };
    started.set(talk, await conversations.createSkillConversationIdWithOptions(options));
  }
  const client = auth.createBotFrameworkClient();
  const { status, body } = await client.postActivity(own, skill, skillUrl, `${base}/api/skills`, started.get(talk), activity);
  return { status, body, conversation: started.get(talk) };
}

function audience(authorization) {
  const payload = authorization?.split('.')[1];
  return payload && JSON.parse(Buffer.from(payload, 'base64url'));
}

async function serve(request, response) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const text = Buffer.concat(parts).toString();
  const body = text ? JSON.parse(text) : undefined;
  const send = (status, value) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const entry = { method: request.method, url: request.url, claims: audience(request.headers.authorization), body };
  if (request.url === '/call') return send(200, await call(body).catch((error) => ({ error: String(error) })));
  if (request.url === '/told') return send(200, told);
  if (request.url.startsWith('/channel/')) {
    told.seen.push(entry);
    return send(200, { id: `seen-${told.seen.length}` });
  }
  told.requests.push(entry);
  response.on('finish', () => (entry.status = response.statusCode));
  const found = routes.find(({ method, path }) => method === request.method && path.test(request.url));
  if (!found) return send(404, {});
  const groups = Object.entries(found.path.exec(request.url).groups ?? {});
  request.params = Object.fromEntries(groups.map(([name, text]) => [name, decodeURIComponent(text)]));
  request.body = body;
  // The SDK was written for two web frameworks; this is what it needs of them.
  const answer = {
    status: (code) => (response.statusCode = code),
    header: (name, value) => response.setHeader(name, value),
    send: (value) => response.write(typeof value === 'string' ? value : JSON.stringify(value)),
    end: () => response.end(),
  };
  await found.handle(request, answer, (error) => error && response.writeHead(500).end(String(error)));
}

const server = http.createServer((request, response) => serve(request, response).catch((error) => response.writeHead(500).end(String(error))));
server.listen(0, '127.0.0.1', () => {
  base = `http://127.0.0.1:${server.address().port}`;
  console.log(base);
});
// The test ends it by closing its input.
process.stdin.on('end', () => process.exit(0)).resume();
