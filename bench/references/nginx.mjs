import { findNginx, startNginx } from '@canopy/test-support'

const configuration = (root) => (port) =>
  `
  access_log off;
  error_log stderr crit;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  server {
    listen 127.0.0.1:${port};
    root ${root};
    autoindex on;
    autoindex_format json;
  }
`

/** nginx with one worker, which lists the same directories as JSON. */
export const startAutoindex = async (root) =>
  findNginx(process.env) === undefined
    ? { name: 'nginx', missing: 'not found: apt-get install nginx' }
    : { name: 'nginx', ...(await startNginx(configuration(root))) }
