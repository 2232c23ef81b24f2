import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@canopy/test-support'
import { fixtureTokens } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { freshDirectory, ran, spawned } from './harnessIn.js'
import { type Mutant, withHeader, withStatus, withText } from './mutants/mutants.js'
import { serveMutant } from './mutants/serveMutant.js'

const conformance = (url: string, ...words: ReadonlyArray<string>) => ran(['conformance', url, ...words])

const inItsOwnWay: Mutant['answered'] = (answer) =>
  answer.body.length === 0 || answer.body.includes('"attempts"') || answer.body.at(-1) === 0x0a
    ? answer
    : withHeader(
        withText(answer, JSON.stringify(JSON.parse(answer.body.toString()), undefined, 2)),
        'Content-Type',
        'application/json',
      )

describe('conformance', () => {
  it('requests sizes that no disk can hold with --every-u64', async () => {
    const { stdout } = await conformance(await serveMutant(), '--every-u64', '--only', 'exact to the last digit')
    expect(stdout).toMatch(/^core +2 passed, /m)
  })

  it('fails a wrong server with expected, actual and a command to repeat', async () => {
    const url = await serveMutant({
      answered: (answer) => (answer.status === 409 ? withStatus(answer, 404) : answer),
    })
    const { stdout, exit } = await spawned(['conformance', url, '--only', 'type mismatch'])
    expect(exit).toBe(1)
    expect(stdout).toContain('FAILED  core: a listing of a file is a type mismatch\n  status\n    expected  409\n')
    expect(stdout).toContain(`--request-target /api/storage/v1/diritems/${fixtureTokens.owner}/readme.txt ${url}\n`)
    expect(stdout).toMatch(/\n\nFAILED: 1 passed, 9 failed, [0-9]+ not run\n$/)
  })

  it('compares the meaning, and bytes only with --exact', async () => {
    const url = await serveMutant({ answered: inItsOwnWay })
    expect((await conformance(url, '--skip', 'HEAD of')).exit).toBe(0)
    expect((await conformance(url, '--skip', 'HEAD of', '--exact')).exit).toBe(1)
  })

  it('sends requests below the path of the URL', async () => {
    const url = await serveMutant({
      asked: ({ method, target }) => ({
        method,
        target: target.startsWith('/base/')
          ? target.slice('/base'.length)
          : target.replace('http://localhost/base', 'http://localhost').replace(/^\/(?!base)/, '/lost/'),
      }),
    })
    expect((await conformance(`${url}/base/`)).exit).toBe(0)
  })

  it('uses other credentials and conceals them', async () => {
    const secret = 'a secret/of its own'
    const url = await serveMutant({
      asked: ({ method, target }) => ({
        method,
        target: target
          .replace('a%20secret%2Fof%20its%20own', fixtureTokens.owner)
          .replace(/%61%20%73[%0-9a-f]*/, `%63${fixtureTokens.owner.slice(1)}`)
          .replace('/id/4711', '/id/1'),
      }),
    })
    const directory = await freshDirectory()
    await writeFile(join(directory, 'mine.json'), JSON.stringify({ [fixtureTokens.owner]: secret, 1: '4711' }))
    const words = ['conformance', url, '--credentials', 'mine.json', '--skip', 'may be written with escapes']
    const { stdout, exit } = await ran(words, {}, directory)
    expect(stdout).toMatch(/PASSED/)
    expect(exit).toBe(0)
    expect(stdout).not.toContain('secret')
  })

  it('does not count skipped checks as passed', async () => {
    const words = ['--only', 'type mismatch', 'OPTIONS', '--skip', 'listing', '--skip', 'a visitor']
    const { stdout, exit } = await conformance(await serveMutant(), ...words)
    expect(exit).toBe(0)
    expect(stdout).toContain(': not selected by --only\n')
    expect(stdout).toContain(': skipped by --skip "listing"\n')
    expect(stdout).toMatch(/\n\nPASSED: [0-9]+ passed, [0-9]+ not run\n$/)
  })

  it('gives a hint when the fixture is not seeded', async () => {
    const url = await serveMutant({ world: () => ({ accounts: [], triggers: [] }) })
    const { stdout, exit } = await conformance(url, '--only', 'scope')
    expect(exit).toBe(1)
    expect(stdout).toContain(
      'NOTE  the service does not know the tokens of the fixture. Seed Canopy with `canopy-harness fixture`',
    )
  })

  it('reports an unreachable service once', async () => {
    const port = await freePort()
    const said = await conformance(`http://127.0.0.1:${port}`)
    expect(said).toMatchObject({ stdout: '', exit: 1 })
    expect(said.stderr).toBe(
      `canopy-harness: no response from http://127.0.0.1:${port} (connect ECONNREFUSED 127.0.0.1:${port}): start the service, or check the URL\n`,
    )
  })

  it('compares as many requests of the model as it says, however many a proxy refuses', async () => {
    let compared = 0
    let sent = 0
    const url = await serveMutant({
      answered: (answer) => {
        sent += 1
        if (sent % 2 === 0) return withHeader(withStatus(answer, 400), 'Content-Type', 'text/html')
        compared += 1
        return answer
      },
    })
    const { stdout, exit } = await ran(['model', url, '--proxied', '--requests', '40', '--seed', '1'])
    expect([stdout, exit]).toEqual([expect.stringContaining('1 passed'), 0])
    expect(compared).toBeGreaterThanOrEqual(40)
  })

  it('waits for a service that limits its clients', async () => {
    const refused = new Set<string>()
    const url = await serveMutant({
      answered: (answer, { method, target }) => {
        const key = `${method} ${target}`
        if (refused.has(key)) return answer
        refused.add(key)
        return withHeader(withStatus(answer, refused.size % 2 === 0 ? 429 : 503), 'Retry-After', '0')
      },
    })
    expect((await conformance(url, '--only', 'a tree by', 'OPTIONS')).exit).toBe(0)
  })
})
