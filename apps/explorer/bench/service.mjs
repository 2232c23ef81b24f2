// Starts the built service and Chromium.
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))

/** Fills a temporary data directory with the `canopy` command and serves it while `work` runs. */
export const withService = async (fill, work) => {
  const data = mkdtempSync(join(tmpdir(), 'canopy-explorer-'))
  const env = { PATH: process.env.PATH, CANOPY_DATA: data, CANOPY_PORT: '0', CANOPY_FILES: 'on' }
  const canopy = async (...words) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [path('../../admin/bin/canopy.js'), ...words, '--json'],
      { env },
    )
    return JSON.parse(stdout)
  }
  const filled = await fill(canopy, data)
  const server = spawn(process.execPath, [path('../../server/dist/main.js')], { env })
  let url
  for await (const line of createInterface({ input: server.stdout })) {
    url = JSON.parse(line).url
    if (url !== undefined) break
  }
  const executablePath = process.env.CANOPY_CHROMIUM ?? '/usr/bin/chromium-headless-shell'
  const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] })
  try {
    await work({ url, browser, filled })
  } finally {
    await browser.close()
    server.kill()
    await new Promise((ended) => server.once('exit', ended))
    rmSync(data, { recursive: true })
  }
}
