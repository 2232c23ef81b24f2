import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { serverOver } from './startServer.js'

/** In a user namespace, the limit concerns this server alone. */
const withOneWatch = ['unshare', '-Ur', 'sh', '-c', 'echo 1 > /proc/sys/user/max_inotify_watches && exec "$@"', 'sh']
const isPermitted = spawnSync('unshare', [...withOneWatch.slice(1), 'true']).status === 0
if (!isPermitted)
  console.warn('A server without inotify watches is not tested: a user namespace of its own is not permitted here.')

describe.runIf(isPermitted)('a server without free inotify watches', () => {
  const over = serverOver(
    async (data) => {
      await canopy(data, 'account', 'create', '--id', '7', '--verified')
      await canopy(data, 'visibility', 'set', '7', '/', 'public')
      await mkdir(join(data, 'areas/7/a'))
    },
    {},
    { first: withOneWatch },
  )

  it('says so once, and reads directories on every request', async () => {
    for (const name of ['1', '2']) {
      await writeFile(join(over.data, 'areas/7/a', name), '')
      const { body } = await over.server.get('/api/usercontent/v1/diritems/id/7/a')
      expect(String(body)).toContain(`"name":"${name}"`)
    }
    const text =
      'out of inotify watches, so directories without one are read on every request: raise fs.inotify.max_user_watches'
    expect(over.server.said(text)).toHaveLength(1)
  })
})
