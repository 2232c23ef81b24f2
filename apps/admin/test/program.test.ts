import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { again, type Canopy, freshCanopy } from './canopyIn.js'

/** Reverts the last migration. */
const makeOlder = (byHand: Canopy['byHand']): void =>
  byHand(`drop table rules; delete from canopy_migration where name = '0007_rules'; pragma wal_checkpoint(truncate)`)

describe('the command line', () => {
  it('prints the help on stderr without a command, with exit code 2', async () => {
    const { spawn, run } = await freshCanopy()
    const usage = (of: string) => expect.stringContaining(`Usage: ${of} [options]`)
    expect(await spawn()).toMatchObject({ stdout: '', exit: 2, stderr: usage('canopy') })
    expect(await run('account')).toMatchObject({ stdout: '', exit: 2, stderr: usage('canopy account') })
    expect(await run('account', '--help')).toMatchObject({ stdout: usage('canopy account'), stderr: '', exit: 0 })
  })

  it('reports wrong usage with the help command and exit code 2', async () => {
    const { run } = await freshCanopy()
    expect(await run('token', 'issue', '1', '--scoop', '/')).toEqual({
      stdout: '',
      stderr: "canopy: unknown option '--scoop' (Did you mean --scope?) Run `canopy token issue --help`.\n",
      exit: 2,
    })
    expect(await run('account', 'list', 'all')).toMatchObject({ exit: 2 })
  })

  it('takes an option for a value only after "="', async () => {
    const { json, run } = await freshCanopy()
    const stderr = expect.stringContaining('if that is the value, write --name=--verified')
    expect(await run('account', 'create', '--name', '--verified')).toEqual({ stdout: '', stderr, exit: 2 })
    expect(await json('token', 'issue', '1', '--label', '--json')).toMatchObject({ error: 'invalid usage' })
    expect(await json('account', 'create', '--name=--verified')).toMatchObject({ name: '--verified' })
    expect(await json('account', 'create', '--name', '-v-')).toMatchObject({ name: '-v-' })
  })

  it('prints one JSON document on stdout for every failure with --json', async () => {
    const { run, json } = await freshCanopy()
    const wrong = await run('--json', 'account', 'verify')
    expect(wrong).toMatchObject({ stderr: '', exit: 2 })
    const hint = 'Run `canopy account verify --help`.'
    expect(JSON.parse(wrong.stdout)).toMatchObject({ error: 'invalid usage', hint })
    expect(await json()).toMatchObject({ error: 'invalid usage' })
    expect(await json('account', 'verify', '1')).toMatchObject({ error: 'no such account' })
  })
})

const reading = [
  'account list',
  'account delete 1 --dry-run',
  'token list 1',
  'visibility list 1',
  'visibility explain 1 /',
  'trigger list',
  'doctor',
  'import /dev/null --dry-run',
  'registry copy --to sqlite:copy',
]

it.each([...reading, 'registry migrate'])('a reading command creates no registry: %s', async (words) => {
  const { directory, json, run } = await freshCanopy()
  const stderr = `canopy: no registry at sqlite:${directory}/data/registry.sqlite: run \`canopy account create\` to create one or, if yours is elsewhere, set CANOPY_DATA or CANOPY_REGISTRY\n`
  expect(await run(...words.split(' '))).toEqual({ stdout: '', stderr, exit: 1 })
  expect(await json(...words.split(' '))).toMatchObject({ error: 'registry unavailable' })
  expect(await readdir(directory)).toEqual([])
})

it.each(reading)('a reading command leaves an older registry unchanged, with a hint: %s', async (words) => {
  const { directory, byHand, run } = await freshCanopy()
  await run('account', 'create', '--verified')
  makeOlder(byHand)
  const before = await readFile(join(directory, 'data/registry.sqlite'))
  const hint = words.startsWith('registry copy') ? '. To back it up' : ": run this version's `canopy registry migrate`"
  const stderr = expect.stringContaining(`was created by an older version of Canopy${hint}`)
  expect(await run(...words.split(' '))).toMatchObject({ stdout: '', stderr, exit: 1 })
  expect(await readFile(join(directory, 'data/registry.sqlite'))).toEqual(before)
  expect((await run('registry', 'migrate')).stdout).toBe('Migrated the registry: 0007_rules.\n')
  expect((await run(...words.split(' '))).exit).toBe(0)
})

it('canopy registry migrate creates a registry with --create', async () => {
  const { json, run } = await freshCanopy()
  const migrations = expect.arrayContaining(['0007_rules'])
  expect(await json('registry', 'migrate', '--create')).toMatchObject({ migrations })
  expect(await json('account', 'list')).toEqual([])
  expect((await run('registry', 'migrate')).stdout).toBe('The registry is up to date.\n')
})

it('canopy registry migrate refuses a file that is not a registry', async () => {
  const canopy = await freshCanopy({ CANOPY_REGISTRY: 'sqlite:empty' })
  const file = join(canopy.directory, 'empty')
  await writeFile(file, '')
  expect(await canopy.json('registry', 'migrate')).toMatchObject({ message: expect.stringMatching(/no registry$/) })
  expect(await readFile(file, 'utf8')).toBe('')
})

describe('the environment', () => {
  it('can come from the file of CANOPY_CONFIG', async () => {
    const canopy = await freshCanopy({ CANOPY_CONFIG: 'canopy.env' })
    await writeFile(join(canopy.directory, 'canopy.env'), 'CANOPY_DATA="in the file"\nCANOPY_WORKERS=auto\n')
    const { stdout, exit } = await canopy.spawn('account', 'create', '--json')
    expect([JSON.parse(stdout), exit]).toMatchObject([{ area: join(canopy.directory, 'in the file/areas/1') }, 0])
    const { json } = again(canopy, { CANOPY_DATA: 'in the file' })
    expect(await json('account', 'list')).toMatchObject([{ id: '1' }])
  })

  it('fails with exit code 2, a hint and no value; help ignores it', async () => {
    const missing = await freshCanopy({ CANOPY_CONFIG: 'missing.env' })
    const cwd = () => {
      throw new Error('ENOENT: uv_cwd')
    }
    const express = { CANOPY_STORAGE: 's3://files--use1-az4--x-s3' }
    const wrong = { CANOPY_HOST: '', CANOPY_REGISTRY: 'mysql://root:password@host/canopy' }
    for (const [{ run, json }, problem] of [
      [missing, /^canopy: CANOPY_CONFIG must be a readable regular file: .*ENOENT/],
      [again(missing, {}, { cwd }), /change to another one/],
      [again(missing, express), /must not be an S3 Express directory bucket, which does not list keys in order/],
      [again(missing, wrong), /^canopy: CANOPY_HOST: must (?!.*password).*\nCANOPY_REGISTRY: (?!.*password)/],
    ] as const) {
      const stderr = expect.stringMatching(problem)
      for (const words of [['account', 'create'], ['doctor']])
        expect(await run(...words)).toEqual({ stdout: '', stderr, exit: 2 })
      expect(await json('account', 'list')).toMatchObject({ error: 'invalid environment' })
      expect(await run('--help')).toMatchObject({ exit: 0 })
    }
  })

  it('has no options after "--"', async () => {
    const { run } = await freshCanopy()
    const stderr = expect.stringMatching(/^canopy: the trigger does not exist/)
    expect(await run('trigger', 'delete', '--', '--json')).toMatchObject({ stdout: '', stderr, exit: 1 })
  })
})
