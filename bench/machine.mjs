import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { programAt } from '@canopy/test-support'

const nginxVersion = () => {
  const path = programAt('nginx', process.env)
  if (path === undefined) return undefined
  return /\d+\.\d+(\.\d+)?/.exec(spawnSync(path, ['-v'], { encoding: 'utf8' }).stderr)?.[0] ?? 'of unknown version'
}

/** What the figures depend on; nothing that says whose machine it is. */
export const machine = () => ({
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  processors: availableParallelism(),
  nginx: nginxVersion(),
})

/** One line about the machine and, unless `servers` says which, every server that took part. */
export const described = ({ date, node, processors, nginx }, servers = ['nginx']) =>
  [
    date,
    `${processors} processors`,
    `Node ${node}`,
    ...(servers.includes('nginx') && nginx !== undefined ? [`nginx ${nginx}`] : []),
  ].join(', ')
