import { availableParallelism, totalmem } from 'node:os'
import { versionOf } from './programs.mjs'

/** What the figures depend on; nothing that says whose machine it is. */
export const machine = () => ({
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  processors: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  nginx: versionOf('nginx', '-v'),
  wrk: versionOf('wrk', '-v'),
})

/** One line about the machine and, unless `servers` says which, every server that took part. */
export const described = ({ date, node, processors, memoryGiB, nginx, wrk }, servers = ['nginx']) =>
  [
    date,
    `${processors} processors, ${memoryGiB} GiB`,
    `Node ${node}`,
    ...(servers.includes('nginx') && nginx !== undefined ? [`nginx ${nginx}`] : []),
    ...(wrk === undefined ? ['load by autocannon'] : []),
  ].join(', ')
