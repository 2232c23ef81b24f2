import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { bin, freshDirectory, ran, spawned } from './harnessIn.js'

describe('a run', () => {
  it('verifies every law, every scenario and generated worlds over a backend', async () => {
    const { stdout, exit } = await spawned(['run', '--backend', 'memory', '--worlds', '3', '--seed', '1'])
    expect(exit).toBe(0)
    for (const part of ['storage laws', 'access laws', 'settings laws', 'trigger laws', 'scenarios'])
      expect(stdout).toMatch(new RegExp(`^memory, ${part} +[0-9]+ passed$`, 'm'))
    expect(stdout).toMatch(/\n\nPASSED: [0-9]+ passed\n$/)
  })

  it('verifies real files and SQLite', async () => {
    const { stdout, exit } = await ran(['run', '--backend', 'sqlite', '--worlds', '2', '--format', 'json'])
    expect(exit).toBe(0)
    const { verdict, checks, notRun } = JSON.parse(stdout)
    expect(verdict).toBe('passed')
    expect(notRun).toBe(22)
    expect(checks.at(-1).name).toBe('40 generated requests to 2 worlds (seed 7) match the reference model')
  })

  it('cleans up after an interruption', async () => {
    const directory = await freshDirectory()
    const child = spawn(process.execPath, [bin, 'run', '--backend', 'sqlite', '--worlds', '2000'], {
      env: { PATH: process.env['PATH'], TMPDIR: directory },
    })
    const ended = once(child, 'exit')
    while (readdirSync(directory).length === 0) await setTimeout(20)
    child.kill('SIGTERM')
    expect(await ended).toEqual([130, null])
    expect(readdirSync(directory)).toEqual([])
  })

  it('lists missing backends in the report', async () => {
    const { stdout, exit } = await ran(['run', '--worlds', '0'], { CANOPY_TEST_PG_BIN: '/nowhere', PATH: '/nowhere' })
    expect(exit).toBe(0)
    expect(stdout).not.toContain('generated worlds')
    for (const [engine, title] of [
      ['PostgreSQL is not installed here: install the package postgresql', 'files \\+ PostgreSQL'],
      ['Ceph is not installed here: install radosgw', 'Ceph \\+ SQLite'],
      ['OpenStack Swift is not installed here: install swift-proxy', 'Swift \\+ SQLite'],
    ]) {
      expect(stdout).toMatch(new RegExp(`^${title} +0 passed, 1 not run$`, 'm'))
      expect(stdout).toMatch(new RegExp(`\\nNOT RUN {2}1: ${engine}.*\\n {2}${title}: every law and scenario\\n`))
    }
  })
})
