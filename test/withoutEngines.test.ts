import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

it('tests of an engine that is not installed are no failure, and say what is not tested', async () => {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', 'packages/storage-s3/test/readme.test.ts'],
    { cwd: root, env: { ...process.env, CI: undefined, CANOPY_TEST_REPORT: undefined, PATH: '/nowhere' } },
  )
  expect(stdout + stderr).toContain('is not tested over Ceph')
})
