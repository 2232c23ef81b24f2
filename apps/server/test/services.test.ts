import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const services = new URL('../bench/services.mjs', import.meta.url).href

// The scripts that use it take long: that it starts at all is seen here.
const script = `
  const { serveFiles } = await import(${JSON.stringify(services)})
  const { port, close } = await serveFiles({ accounts: [], triggers: [] })
  const answer = await fetch('http://127.0.0.1:' + port + '/api/usercontent/v1/tree/id/1')
  console.log(answer.status)
  await close()
`

it('the services of the benchmarks and long checks start from the build and answer', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  expect(stdout).toBe('403\n')
})
