import { fileURLToPath } from 'node:url'
import { firstAnswer, freePort } from '../http.mjs'
import { startProcess } from '../processes.mjs'

const startScript =
  (name, script) =>
  async (answersFile, { firstPath = '/', processes = 1 } = {}) => {
    const port = await freePort()
    const path = fileURLToPath(new URL(script, import.meta.url))
    const server = startProcess(process.execPath, [path, String(port), answersFile, String(processes)])
    await firstAnswer(server, port, firstPath)
    return { name, port, ...server }
  }

/** One process only. */
export const startBareKoa = startScript('bare Koa', 'bareKoa.mjs')
export const startRawHttp = startScript('raw node:http', 'rawHttp.mjs')
