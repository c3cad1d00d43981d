// The cost of the hub's framework to send one event to many open streams, without storage.
import { createServer, type ServerResponse } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { printUrl } from './print-url.ts';

const open = new Set<ServerResponse>();
const router = new Router();
router.get('/events', (ctx) => {
  ctx.respond = false;
  ctx.res.writeHead(200, { 'Content-Type': 'text/event-stream' });
  ctx.res.write(':\n\n');
  open.add(ctx.res);
});
router.post('/broadcast', (ctx) => {
  const text = `event: broadcast\ndata: ${JSON.stringify(ctx.request.body)}\n\n`;
  for (const response of open) response.write(text);
  ctx.body = { ok: true };
});

printUrl(createServer(new Koa().use(bodyParser()).use(router.routes()).callback()));
