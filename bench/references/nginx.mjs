import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstAnswer, freePort } from '../http.mjs'
import { startProcess } from '../processes.mjs'
import { found } from '../programs.mjs'

/** As root nginx would serve as nobody, who may not read our directory. Each connection may stay for the whole run. */
const configuration = ({ port, workers, root }) => `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes ${workers};
pid nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  gzip on;
  gzip_types application/json;
  default_type application/octet-stream;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${port};
    root ${root};
    autoindex on;
    autoindex_format json;
  }
}
`

/** nginx, which lists the same directories as JSON, compressed for whoever accepts that. */
export const startNginx = async ({ directory, root, workers }) => {
  const program = found('nginx')
  if (program === undefined) return { name: 'nginx', missing: 'not found: apt-get install nginx' }
  const port = await freePort()
  const prefix = join(directory, `nginx-${port}`)
  mkdirSync(prefix)
  writeFileSync(join(prefix, 'nginx.conf'), configuration({ port, workers, root }))
  const server = startProcess(program, ['-p', prefix, '-c', 'nginx.conf', '-e', 'stderr'])
  await firstAnswer(server, port, '/')
  return { name: 'nginx', port, ...server }
}
