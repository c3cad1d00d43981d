// The pages that set up a network or an account, and the demo, in one bundle, as in work-pages.ts.
import profile from './account/profile-page.tsx';
import tokens from './account/tokens-page.tsx';
import admin from './admin/admin-page.tsx';
import connect from './connect/connect-page.tsx';
import { DemoPanel } from './demo/demo-panel.tsx';
import network from './networks/network-page.tsx';
import networks from './networks/networks-page.tsx';

export { removeDemo, restartDemo, resumeDemo, startDemo } from './demo/demo.ts';
export { DemoPanel };

export const setupPages = { networks, network, tokens, connect, profile, admin };
