import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { versionOf } from './programs.mjs'

const { resolve } = createRequire(import.meta.url)

/** Koa exports no package.json: the nearest one above its entry is read. */
const versionAbove = (directory, name) => {
  try {
    const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
    if (manifest.name === name) return manifest.version
  } catch {
    // Not there: higher up.
  }
  return versionAbove(dirname(directory), name)
}

const packageVersion = (name) => versionAbove(dirname(resolve(name)), name)

/** What the figures depend on; nothing that tells whose machine it is. */
export const machine = () => ({
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  processors: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  koa: packageVersion('koa'),
  nginx: versionOf('nginx', '-v'),
  caddy: versionOf('caddy', 'version'),
  wrk: versionOf('wrk', '-v'),
  autocannon: packageVersion('autocannon'),
})

const named = (name, version) => (version === undefined ? [] : [`${name} ${version}`])

/** One line about the machine and, unless `servers` says which, every server that took part. */
export const described = (
  { date, node, processors, memoryGiB, nginx, caddy, wrk, autocannon },
  servers = ['nginx', 'Caddy'],
) =>
  [
    date,
    `${processors} processors, ${memoryGiB} GiB`,
    `Node ${node}`,
    ...(servers.includes('nginx') ? named('nginx', nginx) : []),
    ...(servers.includes('Caddy') ? named('Caddy', caddy) : []),
    ...(wrk === undefined ? named('load by autocannon', autocannon) : []),
  ].join(', ')
