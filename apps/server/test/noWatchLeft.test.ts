import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dir, worldWith } from '@canopy/test-support'
import { describe, expect, it } from 'vitest'
import { seedData, serverOver } from './startServer.js'

/** In a user namespace, the limit concerns this server alone. */
const withOneWatch = ['unshare', '-Ur', 'sh', '-c', 'echo 1 > /proc/sys/user/max_inotify_watches && exec "$@"', 'sh']
const isPermitted = spawnSync('unshare', [...withOneWatch.slice(1), 'true']).status === 0
if (!isPermitted)
  console.warn('A server without inotify watches is not tested: a user namespace of its own is not permitted here.')

describe.runIf(isPermitted)('a server without free inotify watches', () => {
  const over = serverOver((data) => seedData(data, worldWith([dir('a')])), {}, { first: withOneWatch })

  it('says so once, and reads directories on every request', async () => {
    for (const name of ['1', '2']) {
      await writeFile(join(over.data, 'areas/1/a', name), '')
      const { body } = await over.server.get('/api/usercontent/v1/diritems/id/1/a')
      expect(String(body)).toContain(`"name":"${name}"`)
    }
    const text =
      'out of inotify watches, so directories without one are read on every request: raise fs.inotify.max_user_watches'
    expect(over.server.said(text)).toHaveLength(1)
  })
})
