import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeDirectory } from '@canopy/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { bin } from './canopy.js'
import { ended, outputOf, serverOfTest, temporaryData, type Variables, type Words } from './startServer.js'

const adapter = fileURLToPath(new URL('../../../packages/testkit/test/docs/tarStorage.mjs', import.meta.url))

const canopy = async (variables: Variables, ...words: Words) => (await outputOf(variables, [bin, ...words])).text

const prelude = `
  const right = (value) => async () => ({ _tag: 'Right', right: value })
  const root = right({ type: 'dir', last_modified: 0n })`

const dataOfTest = async () => {
  const data = await temporaryData()
  onTestFinished(() => removeDirectory(data))
  return data
}

const withModule = async (source: string) => {
  const data = await dataOfTest()
  await writeFile(join(data, 'adapter.mjs'), `${prelude}\n${source}`)
  return { CANOPY_DATA: data, CANOPY_STORAGE: `module:${data}/adapter.mjs` }
}

it('the storage of a module is served, with accounts, visibility and doctor', async () => {
  const data = await dataOfTest()
  for (const path of ['archives', 'photos/drafts']) await mkdir(join(data, path), { recursive: true })
  await writeFile(join(data, 'photos/beach.jpg'), 'sand')
  execFileSync('tar', ['-cf', join(data, 'archives/photos.tar'), '-C', join(data, 'photos'), '.'])
  const archives = encodeURIComponent(join(data, 'archives'))
  const variables = { CANOPY_DATA: data, CANOPY_STORAGE: `module:${adapter}?directory=${archives}` }
  await canopy(variables, 'account', 'create', '--area', 'photos.tar', '--verified')
  await canopy(variables, 'visibility', 'set', '1', '/', 'public')
  await canopy(variables, 'visibility', 'set', '1', '/drafts', 'private')
  const server = await serverOfTest(variables)
  const { body } = await server.get('/api/usercontent/v1/diritems/id/1')
  expect(JSON.parse(String(body))).toMatchObject({ content: [{ name: 'beach.jpg', size: 4 }] })
  expect(await server.status('/readyz')).toBe(200)
  expect(await server.status('/api/usercontent/v1/tree/id/1/drafts')).toBe(403)
  expect(await canopy(variables, 'doctor')).toContain('No findings')
  expect(await ended(variables, '--check')).toMatchObject({ code: 0 })
  expect(await canopy(variables, 'account', 'create', '--area', 'new.tar')).toContain('new and empty')
})

it('accounts need existing areas if the module cannot create areas', async () => {
  const variables = await withModule(`
    const left = (error) => async () => ({ _tag: 'Left', left: { error, cause: new Error('no such area') } })
    export default async () => ({
      nodeAt: ({ location }) => (location === 'here' ? root : left('external')),
      list: () => left('external'),
      reachable: root,
      close: () => undefined,
    })`)
  expect(await canopy(variables, 'account', 'create', '--area', 'here')).toContain('Created account 1')
  const refused = await canopy(variables, 'account', 'create', '--area', 'elsewhere')
  expect(refused).toContain('the storage module cannot create it: no such area')
  expect(refused).toContain('add createArea to the module')
})

it.each([
  ['hangs', 'new Promise(() => undefined)'],
  ['rejects', 'Promise.reject(new Error("no connection"))'],
])('the files of a module are served, and the server ends with code 0 if closing it %s', async (_, closing) => {
  const variables = await withModule(`
    import { writeFileSync } from 'node:fs'
    async function* bytes() { yield Buffer.from('sand') }
    const file = { size: 4n, last_modified: 0n, version: 'v', bytes, close: async () => undefined }
    const close = () => {
      writeFileSync(new URL('closed', import.meta.url), '')
      return ${closing}
    }
    export default async () => ({ nodeAt: () => root, list: () => root, openFile: () => right(file), reachable: root, close })`)
  await canopy(variables, 'account', 'create', '--area', 'a', '--verified')
  await canopy(variables, 'visibility', 'set', '1', '/', 'public')
  const server = await serverOfTest({ ...variables, CANOPY_FILES: 'on' })
  expect(String((await server.get('/files/id/1/beach')).body)).toBe('sand')
  expect(await server.end()).toBe(0)
  expect(existsSync(join(variables.CANOPY_DATA, 'closed'))).toBe(true)
})

it('a module that cannot be loaded is refused with its reason', async () => {
  const variables = await withModule('throw new Error("no licence")')
  const message = `the storage module ${variables.CANOPY_DATA}/adapter.mjs cannot be used: no licence`
  expect(await canopy(variables, 'account', 'list')).toContain(message)
  for (const words of [['--check'], []]) expect((await ended(variables, ...words)).text).toContain(message)
})
