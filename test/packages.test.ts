import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './root.js'
import { consumers } from './support/src/consumers.js'
import { freePort } from './support/src/freePort.js'
import { temporaryDirectory } from './support/src/temporaryDirectory.js'

const names = readdirSync(join(root, 'packages')).filter((name) => name !== 'installation')
const page = readFileSync(join(root, 'docs/take-the-packages.md'), 'utf8')

/** A command of the page. */
const command = (pattern: RegExp): string => pattern.exec(page)?.[0] ?? `the page has no ${pattern}`

const recipes = readdirSync(join(root, 'test/recipes'))
const { hono } = JSON.parse(readFileSync(join(root, 'test/consumers/package.json'), 'utf8')).dependencies

/** Prints the responses of the recipes. */
const askRecipes = `
import { app } from './out/hono.js'
import { respond } from './out/domain.js'
import edge from './out/edge.js'
import { mapPorts } from './out/mapPorts.js'
globalThis.fetch = async (url) => new Response(String(url))
const token = 'cnp_' + 'a'.repeat(42) + 'A'
const items = '/api/usercontent/v1/diritems/id/1/photos'
for (const target of [
  '/api/storage/v1/tree/' + token + '?depth=0',
  '/api/usercontent/v1/tree/id/1/photos/sea.jpg',
  '/api/storage/v1/diritems/' + token,
  items + '?limit=1',
  items + '?limit=abc',
  items + '/sea.jpg',
  '/api/storage/v1/tree/none',
  '/api/triggers/v1/peek/bell',
]) {
  const answer = await app.request(target)
  console.log(answer.status, answer.headers.get('Link') ?? '-', await answer.text())
}
console.log(await respond('1', '/photos', mapPorts))
for (const path of ['/photos/a', '/photos/2024/a', '/b']) {
  const answer = await edge.fetch(new Request('https://edge.example' + path))
  console.log(answer.status, await answer.text())
}
`

const recipesAnswer = `200 - {"type":"tree","content":{"type":"dir","name":"","visibility":{"inherited":false,"visibility":"private"}}}
200 - {"type":"tree","content":{"type":"file","name":"sea.jpg","size":7,"last_modified":0,"visibility":{"inherited":true,"visibility":"public"}}}
200 - {"type":"dir content","content":[{"visibility":{"inherited":false,"visibility":"public"},"is_file":false,"name":"photos","last_modified":0,"size":0}]}
200 <?limit=1&after=beach.jpg>; rel="next" {"type":"dir content","content":[{"visibility":{"inherited":true,"visibility":"public"},"is_file":true,"name":"beach.jpg","last_modified":0,"size":9}]}
400 - {"type":"error","error":"bad request","parameter":"limit"}
409 - {"type":"error","error":"type mismatch"}
401 - {"type":"error","error":"invalid token"}
200 - {"type":"trigger peak","value":{"type":"mail"}}
{"type":"dir content","content":[{"visibility":{"inherited":true,"visibility":"public"},"is_file":true,"name":"beach.jpg","last_modified":0,"size":9},{"visibility":{"inherited":true,"visibility":"public"},"is_file":true,"name":"sea.jpg","last_modified":0,"size":7}]}
200 https://origin.example/photos/a
403 permission denied
403 permission denied
`

/** Programs, with the bytes of a compressed bundle, and the type instantiations beyond those of an empty program. */
const uses = [
  { file: 'edge.ts', maxBytes: 7_000, maxInstantiations: 25_000 },
  { file: 'hono.ts', maxBytes: 27_500, maxInstantiations: 115_000 },
  { file: 'clientOnly.ts', maxBytes: 7_900, maxInstantiations: 1_500 },
  { file: 'clientWithFpTs.ts', maxBytes: 9_700, maxInstantiations: 19_000 },
  { file: 'decision.ts', maxBytes: 5_700, maxInstantiations: 25_000 },
  { file: 'domain.ts', maxBytes: 20_000, maxInstantiations: 25_000 },
]

/** A typed program. Its declarations must be able to name the inferred types of its exports. */
const program = `
import { CanopyError, createClient, toResult } from '@canopy/client'

export const canopy = createClient({ baseUrl: 'https://files.example' })
export const tree = () => canopy.storageTree({ token: 't', path: '/' })
export const page = async () => (await canopy.userContentDirItems({ user: 1, path: '/' })).next?.()
export const items = canopy.storageItems({ token: 't', path: '/' })
export const outcome = () => toResult(canopy.triggerPeek({ id: 'x' }))

export const caught = (error: unknown): string => (error instanceof CanopyError ? error.failure.error : 'other')
`

const withFpTs = `
import { createClient } from '@canopy/client'
import { toTaskEitherClient } from '@canopy/client/fp-ts'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

export const canopy = toTaskEitherClient(createClient({ baseUrl: 'https://files.example' }))
export const tree = pipe(canopy.storageTree({ token: 't', path: '/' }), TE.mapLeft(({ error }) => error))
// @ts-expect-error The left is the name of a failure.
export const wrong: TE.TaskEither<number, unknown> = tree
export const pages = canopy.userContentPages({ user: 1, path: '/' })
`

/** fp-ts' ES modules, as in `bundle.mjs`. */
const viteConfig = (entry: string): string => `export default {
  resolve: { alias: { 'fp-ts/lib': 'fp-ts/es6', 'io-ts': 'io-ts/es6/index.js' } },
  build: { outDir: 'budget', lib: { entry: '${entry}', formats: ['es'], fileName: 'index' }, minify: true },
}`

describe('the packages, published to a registry and installed from it', () => {
  const home = temporaryDirectory(afterAll)
  const [tarballs, project] = [join(home, 'tarballs'), join(home, 'project')]
  let registry: ChildProcess | undefined

  const run = (cwd: string, file: string, ...args: ReadonlyArray<string>): string => {
    const env = { ...process.env, NO_COLOR: '1' }
    const { status, stdout, stderr, error } = spawnSync(file, args, { cwd, env, encoding: 'utf8' })
    return `${stdout}${status === 0 ? '' : `${stderr}${error?.message ?? ''}exit ${status}`}`
  }
  const succeed = (...words: Parameters<typeof run>): void => expect(run(...words)).not.toMatch(/exit \S+$/)
  const write = (file: string, text: string): void => writeFileSync(join(project, file), text)
  const manifestOf = (name: string): { readonly exports: object } =>
    JSON.parse(readFileSync(join(project, `node_modules/@canopy/${name}/package.json`), 'utf8'))

  const startRegistry = async (port: number): Promise<void> => {
    const anyone = { access: '$all', publish: '$all' }
    const config = { storage: join(home, 'storage'), packages: { '@canopy/*': anyone }, log: { type: 'stdout' } }
    writeFileSync(join(home, 'verdaccio.json'), JSON.stringify(config))
    const words = ['--config', join(home, 'verdaccio.json'), '--listen', `127.0.0.1:${port}`]
    registry = fork(join(consumers(), 'node_modules/verdaccio/bin/verdaccio'), words, { silent: true })
    const first = await Promise.race([once(registry, 'message'), once(registry, 'exit')])
    if (typeof first[0] !== 'object') throw new Error(`verdaccio ended: ${String(first)}`)
  }

  beforeAll(async () => {
    for (const directory of [tarballs, project]) mkdirSync(directory)
    const pack = command(/node scripts\/pnpm\.mjs --filter .* pack .*/)
    succeed(root, 'sh', '-c', pack.replace('/tmp/canopy', tarballs))

    const port = await freePort()
    await startRegistry(port)
    write('.npmrc', command(/@canopy:registry=.*\n.*_authToken=.*/).replaceAll('localhost:4873', `127.0.0.1:${port}`))
    succeed(project, 'sh', '-c', command(/for tarball in .*; done/).replace('/tmp/canopy', tarballs))
    const wanted = names.map((name) => [`@canopy/${name}`, '^0.1.0'])
    // The oldest supported versions.
    const dependencies = { ...Object.fromEntries(wanted), 'fp-ts': '2.16.0', 'io-ts': '2.2.20', hono }
    write('package.json', JSON.stringify({ type: 'module', private: true, dependencies }))
    succeed(project, 'npm', 'install', '--no-audit', '--no-fund')
    symlinkSync(join(consumers(), 'node_modules/esbuild'), join(project, 'node_modules/esbuild'))

    for (const name of names) copyFileSync(join(root, `packages/${name}/test/readme.ts`), join(project, `${name}.ts`))
    for (const name of recipes) copyFileSync(join(root, 'test/recipes', name), join(project, name))
    write('clientOnly.ts', program)
    write('clientWithFpTs.ts', withFpTs)
    write('program.ts', "import { wrongAnswers } from './testkit.js'\nvoid wrongAnswers().then(console.log)\n")
  })
  afterAll(() => void registry?.kill())

  it.each(names)('have a manifest without traces of this repository: %s', (name) => {
    expect(JSON.stringify(manifestOf(name))).not.toMatch(
      /canopy-source|test-support|workspace:|catalog:|"private"|"(fp|io)-ts":"\d/,
    )
  })

  /** The complaints of the compiler about these files. */
  const compile = (include: ReadonlyArray<string>, more: object = { module: 'NodeNext' }): string => {
    const compilerOptions = { strict: true, target: 'ES2022', types: ['node'], outDir: 'out', ...more }
    write('tsconfig.json', JSON.stringify({ compilerOptions, include }))
    return run(project, join(root, 'node_modules/.bin/tsc'))
  }

  it.each([
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
  ])('compile with the examples of their READMEs, all declarations checked: %s, %s', (module, moduleResolution) => {
    expect(compile(['*.ts'], { module, moduleResolution })).toBe('')
    expect(run(project, process.execPath, 'out/program.js')).toBe('[]\n')
  })

  it('compile in a CommonJS program, which requires them', () => {
    copyFileSync(join(root, 'packages/testkit/test/readme.ts'), join(project, 'required.cts'))
    write('program.cts', "import { wrongAnswers } from './required.cjs'\nvoid wrongAnswers().then(console.log)\n")
    expect(compile(['*.cts'])).toBe('')
    expect(run(project, process.execPath, 'out/program.cjs')).toBe('[]\n')
  })

  it('load by every entry, by import and by require', () => {
    const entries = names.flatMap((name) =>
      Object.keys(manifestOf(name).exports).flatMap((entry) =>
        entry.endsWith('.json') ? [] : [`@canopy/${name}${entry.slice(1)}`],
      ),
    )
    expect(entries.length).toBeGreaterThan(names.length)
    const loaded = (load: string): string =>
      `Promise.all(${JSON.stringify(entries)}.map(async (entry) => Object.keys(await ${load}(entry)).length > 0)).then((all) => console.log(all.join()))`
    write('imported.mjs', loaded('import'))
    write('required.cjs', loaded('require'))
    const wanted = `${entries.map(() => 'true').join()}\n`
    expect(run(project, process.execPath, 'imported.mjs')).toBe(wanted)
    expect(run(project, process.execPath, '--no-warnings', 'required.cjs')).toBe(wanted)
  })

  it('carry recipes: the five operations in Hono, and a decision at the edge', () => {
    expect(compile(['hono.ts', 'edge.ts', 'domain.ts'])).toBe('')
    write('askRecipes.mjs', askRecipes)
    expect(run(project, process.execPath, 'askRecipes.mjs')).toBe(recipesAnswer)
  })

  it.each(uses)('bundle $file with esbuild and Vite in at most $maxBytes bytes, compressed', ({ file, maxBytes }) => {
    expect(run(project, process.execPath, 'bundle.mjs', file, 'budget.js')).toBe('')
    const vite = [join(root, 'node_modules/.bin/vite'), 'build', '--config', 'budget.config.js', '--logLevel', 'error']
    write('budget.config.js', viteConfig(file))
    expect(run(project, ...(vite as [string, ...Array<string>]))).toBe('')
    const sizes = ['budget.js', 'budget/index.js'].map((bundle) => gzipSync(readFileSync(join(project, bundle))).length)
    for (const size of sizes) expect(size).toBeLessThanOrEqual(maxBytes)
  })

  it.each(uses)(
    'let the compiler check $file in at most $maxInstantiations instantiations',
    ({ file, maxInstantiations }) => {
      const compilerOptions = { strict: true, target: 'ES2022', types: [], noEmit: true, module: 'NodeNext' }
      // Their number decides the time of the type checker, and is the same on every machine.
      const instantiations = (checked: string): number => {
        write('tsconfig.json', JSON.stringify({ compilerOptions, files: [checked] }))
        const report = run(project, join(root, 'node_modules/.bin/tsc'), '--extendedDiagnostics')
        return Number(/Instantiations: +(\d+)/.exec(report)?.[1])
      }
      write('empty.ts', 'export {}\n')
      expect(instantiations(file) - instantiations('empty.ts')).toBeLessThanOrEqual(maxInstantiations)
    },
  )

  it('run in a bundle of esbuild, and in one of Vite', () => {
    const bundled = ['program.ts', '--bundle', '--platform=node', '--outfile=esbuild.cjs', '--log-level=error']
    expect(run(project, join(consumers(), 'node_modules/.bin/esbuild'), ...bundled)).toBe('')
    expect(run(project, process.execPath, 'esbuild.cjs')).toBe('[]\n')
    const vite = [join(root, 'node_modules/.bin/vite'), 'build', '--ssr', 'program.ts', '--logLevel', 'error'] as const
    write('vite.config.js', 'export default { ssr: { noExternal: true } }')
    expect(run(project, ...vite)).toBe('')
    expect(run(home, process.execPath, join(project, 'dist/program.js'))).toBe('[]\n')
  })

  describe('the client alone, without the domain, io-ts and fp-ts', () => {
    const alone = join(home, 'alone')
    const compiled = (file: string, compilerOptions: object): string => {
      const common = { target: 'ES2022', lib: ['ES2022', 'DOM'], types: [], declaration: true, outDir: 'out' }
      // Checking the declarations of the DOM each time takes most of the time.
      const config = { compilerOptions: { skipLibCheck: true, ...common, ...compilerOptions }, files: [file] }
      writeFileSync(join(alone, 'tsconfig.json'), JSON.stringify(config))
      return run(alone, join(root, 'node_modules/.bin/tsc'))
    }

    beforeAll(() => {
      mkdirSync(alone)
      writeFileSync(join(alone, 'package.json'), '{"type":"module"}')
      succeed(alone, 'npm', 'install', '--no-audit', '--no-fund', join(tarballs, 'canopy-client-0.1.0.tgz'))
      writeFileSync(join(alone, 'program.ts'), program)
      writeFileSync(join(alone, 'withFpTs.ts'), withFpTs)
    })

    it('installs no other package', () => {
      const installed = readdirSync(join(alone, 'node_modules'), { recursive: true, encoding: 'utf8' })
      expect(installed.filter((file) => file.endsWith('/package.json'))).toEqual(['@canopy/client/package.json'])
    })

    it('runs, with all its declarations checked', () => {
      const strictest = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false }
      expect(compiled('program.ts', { module: 'NodeNext', ...strictest })).toBe('')
      const script = `import('./out/program.js').then(({ caught, canopy }) => canopy.triggerPeek({ id: '' }).catch(caught)).then(console.log)`
      expect(run(alone, process.execPath, '-e', script)).toBe('malformed input\n')
    })

    it('compiles and runs with fp-ts too, once it is installed', () => {
      succeed(alone, 'npm', 'install', '--no-audit', '--no-fund', 'fp-ts@2.16.0')
      expect(compiled('withFpTs.ts', { module: 'ESNext', moduleResolution: 'Bundler', strict: true })).toBe('')
      expect(compiled('withFpTs.ts', { module: 'NodeNext', strict: true })).toBe('')
      const script = `import('./out/withFpTs.js').then(({ tree }) => tree()).then((e) => console.log(e._tag))`
      expect(run(alone, process.execPath, '-e', script)).toBe('Left\n')
    })
  })
})
