/* Names the panel's parts agree on: plugin ids, commands, the icon. */

import { LabIcon } from '@jupyterlab/ui-components';

export const PANEL_PLUGIN = 'jupyter-linda:panel';
export const PANEL_ID = 'linda-panel';
export const DOMAIN = 'jupyter_linda';

export const Commands = {
  open: 'linda:open',
  newChat: 'linda:new-chat',
  stop: 'linda:stop',
  condense: 'linda:condense',
  questions: 'linda:questions',
  settings: 'linda:settings',
  readiness: 'linda:readiness',
  permissions: 'linda:permissions'
} as const;

/** starting: the panel does not know yet what to show first. */
export type View =
  | 'starting'
  | 'welcome'
  | 'chats'
  | 'chat'
  | 'questions'
  | 'permissions'
  | 'tasks'
  | 'settings'
  | 'usage'
  | 'trace'
  | 'readiness';

export const lindaIcon = new LabIcon({
  name: 'jupyter-linda:icon',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <g class="jp-icon3" fill="#616161">
    <path d="M12 3C6.5 3 2 6.8 2 11.5c0 2.5 1.3 4.8 3.4 6.3-.1 1.1-.6 2.2-1.5 3.1-.2.3 0 .7.3.7 2-.1 3.7-.8 5-1.9.9.2 1.8.3 2.8.3 5.5 0 10-3.8 10-8.500S17.500 3 12 3zm0 15.200c-1 0-2-.2-2.900-.4l-.5-.1-.4.4c-.5.5-1.100.8-1.700 1.100.3-.7.4-1.400.4-2.100v-.5l-.4-.3C4.600 15.100 3.800 13.400 3.800 11.500c0-3.700 3.700-6.700 8.200-6.700s8.200 3 8.200 6.700-3.700 6.700-8.200 6.700z"/>
    <path d="M12 7.200l1.200 3.100 3.100 1.200-3.100 1.200L12 15.800l-1.200-3.100-3.100-1.200 3.100-1.200z"/>
  </g></svg>`
});
