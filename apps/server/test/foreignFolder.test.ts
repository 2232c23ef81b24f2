import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type RawResponse, request } from '@canopy/testkit'
import { isInteger, parse } from 'lossless-json'
import { describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { serverOver } from './startServer.js'

/** A large folder that this repository did not make: the machine's own documentation, or else what comes with Node. */
const folder =
  ['/usr/share/doc', '/usr/share/man', join(dirname(process.execPath), '../lib')].find((candidate) => {
    try {
      return readdirSync(candidate).length > 10
    } catch {
      return false
    }
  }) ?? dirname(process.execPath)

interface Found {
  readonly path: string
  readonly kind: string
  readonly size: string
  readonly modified: string
}

/** Files and directories below a folder, as find knows them; sizes of directories as Canopy gives them. */
const findAll = async (directory: string): Promise<ReadonlyArray<Found>> => {
  const { stdout } = await promisify(execFile)(
    'find',
    [directory, '-mindepth', '1', '(', '-type', 'f', '-o', '-type', 'd', ')', '-printf', '%P\\0%y\\0%s\\0%T@\\0'],
    { maxBuffer: 1 << 28 },
  )
  const fields = stdout.split('\0')
  return Array.from({ length: Math.floor(fields.length / 4) }, (_, index) => {
    const [path = '', kind = '', size = '', modified = ''] = fields.slice(index * 4, index * 4 + 4)
    return { path, kind, size: kind === 'd' ? '0' : size, modified: modified.replace(/\..*/, '') }
  })
}

const byPath = (found: ReadonlyArray<Found>): ReadonlyArray<Found> =>
  [...found].sort((x, y) => Buffer.compare(Buffer.from(x.path), Buffer.from(y.path)))

const exact = (text: string): string | bigint => (isInteger(text) ? BigInt(text) : text)

interface Node {
  readonly type: 'file' | 'dir'
  readonly name: string
  readonly size?: bigint
  readonly last_modified?: bigint
  readonly content?: ReadonlyArray<Node>
}

const flatten = (node: Node, path: string): ReadonlyArray<readonly [string, Node]> =>
  (node.content ?? []).flatMap((child) => [
    [path + child.name, child] as const,
    ...flatten(child, `${path}${child.name}/`),
  ])

describe(`a large folder that this repository did not make (${folder})`, () => {
  let token = ''
  const over = serverOver(async (data) => {
    await canopy(data, 'account', 'create', '--id', '1', '--verified', '--area', folder)
    token = (await canopy(data, 'token', 'issue', '1')).token
  })

  const get = (operation: string, path: string): Promise<RawResponse> =>
    request(over.server.port, { method: 'GET', target: `/api/storage/v1/${operation}/${token}/${path}` })

  it('has the tree that find prints: every name, kind, size and time', async () => {
    const found = await findAll(folder)
    expect(found.length).toBeGreaterThan(100)
    const { complete, body } = await get('tree', '')
    expect(complete).toBe(true)
    const { content } = parse(body.toString(), undefined, exact) as { readonly content: Node }
    const nodes = new Map(flatten(content, ''))
    expect([...nodes.keys()].sort()).toEqual(found.map(({ path }) => path).sort())
    const files = found.filter(({ kind }) => kind === 'f')
    expect(
      files.map(({ path }) => nodes.get(path)).map((node) => [node?.type, node?.size, node?.last_modified]),
    ).toEqual(files.map(({ size, modified }) => ['file', BigInt(size), BigInt(modified)]))
  })

  it('has the listings that find prints, directories and times included, in byte order', async () => {
    const found = byPath(await findAll(folder))
    const entriesOf = new Map<string, Array<Found>>()
    for (const { path, ...rest } of found) {
      const at = dirname(path) === '.' ? '' : dirname(path)
      const beside = entriesOf.get(at) ?? []
      entriesOf.set(at, beside)
      beside.push({ path: basename(path), ...rest })
    }
    const directories = found.filter(({ kind }) => kind === 'd').slice(0, 200)
    for (const path of ['', ...directories.map((directory) => directory.path)]) {
      const { body } = await get('diritems', path.split('/').map(encodeURIComponent).join('/'))
      const { content } = parse(body.toString(), undefined, exact) as {
        readonly content: ReadonlyArray<Node & { readonly is_file: boolean }>
      }
      const expected = byPath(entriesOf.get(path) ?? [])
      expect(
        content.map(({ name, is_file, size, last_modified }) => [
          name,
          is_file ? 'f' : 'd',
          `${size}`,
          `${last_modified}`,
        ]),
      ).toEqual(expected.map((entry) => [entry.path, entry.kind, entry.size, entry.modified]))
    }
  })
})
