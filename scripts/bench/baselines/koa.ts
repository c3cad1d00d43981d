// The cost of the hub's framework for the same request: Koa with its router and body parser returns the hub's own
// response, passed on the command line, and stores nothing.
import { createServer } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { printUrl } from './print-url.ts';

const response: object = JSON.parse(process.argv[2] ?? '{}');

const router = new Router();
router.post('/mcp', (ctx) => {
  ctx.body = response;
});

printUrl(createServer(new Koa().use(bodyParser()).use(router.routes()).callback()));
