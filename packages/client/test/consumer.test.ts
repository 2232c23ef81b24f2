import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const own = fileURLToPath(new URL('..', import.meta.url))
const packageOf = (name: string): string => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
const tsc = join(packageOf('typescript'), 'bin/tsc')

/** What a program with types does. Its exports have inferred types, which its own declarations must be able to name. */
const program = `
import { CanopyError, client, result, type TreeNode } from '@canopy/client'

export const canopy = client({ baseUrl: 'https://files.example' })
export const tree = () => canopy.storageTree({ token: 't', path: '/' })
export const page = async () => (await canopy.userContentDirItems({ user: 1, path: '/' })).next?.()
export const items = canopy.storageItems({ token: 't', path: '/' })
export const outcome = () => result(canopy.triggerPeek({ id: 'x' }))

export const size = (node: TreeNode): number => {
  if ('content' in node) return node.content.length
  if (node.type === 'file') return Number(node.size)
  // @ts-expect-error A directory without content has no size either.
  return node.size
}

export const peeked = async () => {
  const peeked = await outcome()
  return 'failure' in peeked ? peeked.failure : peeked.value.json
}

export const caught = (error: unknown): string => (error instanceof CanopyError ? error.failure.error : 'other')
`

const withFpTs = `
import { client } from '@canopy/client'
import { taskEitherClient } from '@canopy/client/fp-ts'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

export const canopy = taskEitherClient(client({ baseUrl: 'https://files.example' }))
export const tree = pipe(canopy.storageTree({ token: 't', path: '/' }), TE.mapLeft(({ error }) => error))
// @ts-expect-error The left is the name of a failure.
export const wrong: TE.TaskEither<number, unknown> = tree
export const pages = canopy.userContentPages({ user: 1, path: '/' })
`

const settings = ['NodeNext', 'Bundler'].flatMap((moduleResolution) =>
  [true, false].flatMap((strict) =>
    [true, false].map((exactOptionalPropertyTypes) => ({
      moduleResolution,
      module: moduleResolution === 'NodeNext' ? 'NodeNext' : 'ESNext',
      strict,
      // It needs strictNullChecks, alone or with the rest of strict.
      ...(exactOptionalPropertyTypes ? { exactOptionalPropertyTypes, strictNullChecks: true } : {}),
    })),
  ),
)

describe('a program that has the client alone, without the domain, io-ts and fp-ts', () => {
  const directory = mkdtempSync(join(tmpdir(), 'canopy-client-'))
  const run = (...args: ReadonlyArray<string>): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8' })
    return `${stdout}${stderr}${status === 0 ? '' : `exit ${status}`}`
  }

  let built = 'not built'

  beforeAll(() => {
    const installed = join(directory, 'node_modules/@canopy/client')
    mkdirSync(installed, { recursive: true })
    cpSync(join(own, 'package.json'), join(installed, 'package.json'))
    const [outDir, tsBuildInfoFile] = [join(installed, 'dist'), join(directory, 'tsbuildinfo')]
    built = run(tsc, '-p', own, '--outDir', outDir, '--tsBuildInfoFile', tsBuildInfoFile)
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
    writeFileSync(join(directory, 'program.ts'), program)
    writeFileSync(join(directory, 'withFpTs.ts'), withFpTs)
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  const compiled = (file: string, compilerOptions: object): string => {
    // Checking the declarations of the DOM each time takes most of the time. `runs` checks all declarations.
    const common = {
      skipLibCheck: true,
      target: 'ES2022',
      lib: ['ES2022', 'DOM'],
      types: [],
      declaration: true,
      outDir: 'out',
    }
    const config = { compilerOptions: { ...common, ...compilerOptions }, files: [file] }
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
    return run(tsc, '-p', 'tsconfig.json')
  }

  it('gets what the compiler makes of the sources', () => {
    expect(built).toBe('')
  })

  it.each(settings)('compiles with $moduleResolution, strict $strict: %o', (compilerOptions) => {
    expect(compiled('program.ts', compilerOptions)).toBe('')
  })

  it('runs', () => {
    expect(compiled('program.ts', { module: 'NodeNext', strict: true, skipLibCheck: false })).toBe('')
    const script = `import('./out/program.js').then(({ caught, canopy }) => canopy.triggerPeek({ id: '' }).catch(caught)).then(console.log)`
    expect(run('-e', script)).toBe('malformed input\n')
    expect(run('--input-type=commonjs', '-e', `console.log(typeof require('@canopy/client').client)`)).toContain(
      'function',
    )
  })

  it('compiles and runs with fp-ts too, once it is installed', () => {
    symlinkSync(packageOf('fp-ts'), join(directory, 'node_modules/fp-ts'))
    expect(compiled('withFpTs.ts', { module: 'ESNext', moduleResolution: 'Bundler', strict: true })).toBe('')
    expect(compiled('withFpTs.ts', { module: 'NodeNext', strict: true })).toBe('')
    expect(run('-e', `import('./out/withFpTs.js').then(({ tree }) => tree()).then((e) => console.log(e._tag))`)).toBe(
      'Left\n',
    )
  })
})
