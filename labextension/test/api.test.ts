/* Requests: paths, bodies, errors, and which carry the token. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ServerConnection } from '@jupyterlab/services';

import { Api, ApiError, problemFrom } from '../src/api';

interface Sent {
  url: string;
  init: RequestInit;
}

const SETTINGS = {
  baseUrl: 'http://localhost:8888/user/ana/',
  token: 'secret'
} as ServerConnection.ISettings;

function rig(status = 200, body: unknown = {}) {
  const withToken: Sent[] = [];
  const plain: Sent[] = [];
  const reply = (): Response =>
    new Response(status === 204 ? null : JSON.stringify(body), { status });
  const api = new Api(
    SETTINGS,
    (url, init) => {
      withToken.push({ url, init });
      return Promise.resolve(reply());
    },
    (url, init) => {
      plain.push({ url: url as string, init: init ?? {} });
      return Promise.resolve(reply());
    },
    () => 'username=ana; _xsrf=2|abc; other=1'
  );
  return { api, withToken, plain };
}

test('paths keep the base url and escape their parts', async () => {
  const { api, withToken } = rig();
  await api.chats('März & co');
  await api.chat('a/b');
  assert.deepEqual(
    withToken.map(sent => sent.url),
    [
      'http://localhost:8888/user/ana/linda/api/chats?query=M%C3%A4rz%20%26%20co',
      'http://localhost:8888/user/ana/linda/api/chats/a%2Fb'
    ]
  );
});

test('what a person alone may say goes without the token, with cookie and XSRF', async () => {
  const { api, withToken, plain } = rig();
  await api.answer('q1', { answer: 'once' });
  await api.saveRules('{}', '{ }');
  await api.setDefaultModel('a/b');
  await api.saveProvider('a', { kind: 'openai' });
  await api.deleteProvider('a');
  assert.equal(withToken.length, 0);
  assert.deepEqual(
    plain.map(({ init }) => init.method),
    ['POST', 'PUT', 'PUT', 'PUT', 'DELETE']
  );
  for (const { init } of plain) {
    const headers = new Headers(init.headers);
    assert.equal(headers.get('Authorization'), null);
    assert.equal(headers.get('X-XSRFToken'), '2|abc');
    assert.equal(init.credentials, 'same-origin');
  }
  assert.equal(
    plain.some(sent => sent.url.includes('secret')),
    false
  );
});

test("a refusal carries the server's words", async () => {
  const problem = {
    kind: 'NotFound',
    message: 'No such chat.',
    remedy: 'Reload.',
    detail: 'gate: no such route'
  };
  const { api } = rig(404, problem);
  await assert.rejects(api.chat('x'), (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 404);
    assert.deepEqual(problemFrom(error), problem);
    return true;
  });
});

test('a reply that is not ours still makes a sentence', async () => {
  const { api } = rig(502, 'bad gateway');
  await assert.rejects(api.status(), /status 502/);
});

test('a server without our extension is said, with a remedy', async () => {
  const { api } = rig(404, { message: 'Not Found', reason: null });
  await assert.rejects(
    api.status(),
    (error: unknown) => problemFrom(error).kind === 'NotInstalled'
  );
});

test('an unreachable server is said, with a remedy', async () => {
  const api = new Api(SETTINGS, () => Promise.reject(new TypeError('fetch')));
  await assert.rejects(api.status(), (error: unknown) => {
    const { kind, remedy } = problemFrom(error);
    assert.equal(kind, 'Unreachable');
    assert.notEqual(remedy, '');
    return true;
  });
});

test('no content resolves to nothing', async () => {
  const { api, withToken } = rig(204);
  assert.equal(await api.deleteChat('a'), undefined);
  assert.equal(withToken[0].init.method, 'DELETE');
});
