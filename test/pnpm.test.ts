import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root } from './root.js'
import { listening } from './support/src/listening.js'

const wrapper = 'pnpm'
const binary = '@pnpm/exe.linux-x64'

const sha512 = (bytes: Buffer, encoding: 'base64' | 'hex'): string =>
  createHash('sha512').update(bytes).digest(encoding)
const integrityOf = (tarball: Buffer): string => `sha512-${sha512(tarball, 'base64')}`
const manifestOf = (name: string) => ({
  name,
  version: '1.0.0',
  ...(name === wrapper ? { optionalDependencies: { [binary]: '1.0.0' } } : {}),
})

/** A package whose `pnpm` prints this, its arguments, and which `pnpm` is in the path. */
const tarballOf = (name: string, says: string): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), 'canopy-tarball-'))
  mkdirSync(join(folder, 'package'))
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify(manifestOf(name)))
  writeFileSync(join(folder, 'package/pnpm'), `#!/bin/sh\necho ${says} "$@"; [ "$(command -v pnpm)" = "$0" ]\n`, {
    mode: 0o755,
  })
  const tarball = execFileSync('tar', ['-cz', '-C', folder, 'package'])
  rmSync(folder, { recursive: true })
  return tarball
}

/** A registry that offers these tarballs. */
const registryOf = async (tarballs: Readonly<Record<string, Buffer>>): Promise<string> => {
  const server = createServer((request, response) => {
    const [name = '', isTarball] = decodeURIComponent(request.url?.slice(1) ?? '').split('/-/')
    const tarball = tarballs[name]
    if (tarball === undefined) response.writeHead(404).end('{}')
    else if (isTarball !== undefined) response.end(tarball)
    else {
      const dist = { tarball: `http://${request.headers.host}/${name}/-/it.tgz`, integrity: integrityOf(tarball) }
      const versions = { '1.0.0': { ...manifestOf(name), dist } }
      response.end(JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions }))
    }
  })
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${await listening(server)}/`
}

const pinned = { [wrapper]: tarballOf(wrapper, 'pinned'), [binary]: tarballOf(binary, 'pinned') }

/** `scripts/pnpm.mjs` of a checkout that pins `pinned`, on a machine with Node, npm and this registry. */
const run = async (offered: Readonly<Record<string, Buffer>>, named = sha512(pinned[wrapper], 'hex')) => {
  const checkout = mkdtempSync(join(tmpdir(), 'canopy-pnpm-'))
  onTestFinished(() => rmSync(checkout, { recursive: true }))
  const write = (path: string, content: unknown) => {
    mkdirSync(dirname(join(checkout, path)), { recursive: true })
    writeFileSync(join(checkout, path), JSON.stringify(content))
  }
  const entryOf = (name: keyof typeof pinned) => ({ ...manifestOf(name), integrity: integrityOf(pinned[name]) })
  const own = { private: true, dependencies: { pnpm: '1.0.0' } }
  write('package.json', { packageManager: `pnpm@1.0.0+sha512.${named}` })
  write('scripts/pnpm/package.json', own)
  write('scripts/pnpm/package-lock.json', {
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': own,
      [`node_modules/${wrapper}`]: entryOf(wrapper),
      [`node_modules/${binary}`]: { ...entryOf(binary), optional: true },
    },
  })
  cpSync(join(root, 'scripts/pnpm.mjs'), join(checkout, 'scripts/pnpm.mjs'))
  const env = { PATH: process.env['PATH'], HOME: checkout, npm_config_registry: await registryOf(offered) }
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [join(checkout, 'scripts/pnpm.mjs'), 'a', 'b c'], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    )
  })
}

it('scripts/pnpm.mjs runs the pinned pnpm with Node and npm alone, first in the path', async () => {
  expect(await run(pinned)).toEqual({ code: 0, stdout: 'pinned a b c\n', stderr: '' })
})

const otherPins = /^package\.json names pnpm@1\.0\.0\+sha512\.00, but .* pins pnpm@1\.0\.0/

it.each<[string, RegExp, ...Parameters<typeof run>]>([
  ['a pnpm that differs from its hash', /EINTEGRITY/, { ...pinned, [wrapper]: tarballOf(wrapper, 'another') }],
  ['a binary that differs from its hash', /no binary of pnpm/, { ...pinned, [binary]: tarballOf(binary, 'another') }],
  ['another hash in packageManager', otherPins, pinned, '00'],
])('scripts/pnpm.mjs refuses %s', async (_, why, ...parameters) => {
  expect(await run(...parameters)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(why) })
})

it('the lock of pnpm holds a hash of each package, and no registry', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'scripts/pnpm/package-lock.json'), 'utf8'))
  const { '': _, ...others } = packages
  expect(Object.keys(others)).toEqual(expect.arrayContaining(['node_modules/pnpm', `node_modules/${binary}`]))
  for (const entry of Object.values(others)) {
    expect(entry).toMatchObject({ integrity: expect.stringMatching(/^sha512-/) })
    expect(entry).not.toHaveProperty('resolved')
  }
})
