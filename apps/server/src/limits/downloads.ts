import type { Readable } from 'node:stream'
import type { Signal } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { type Download, FailedStream } from '../http/HttpResponse.js'
import type { Metrics } from '../observe/prometheus.js'

/** Begins a download, which ends when its signal aborts. Returns `undefined` if too many are in progress. */
export type BeginDownload = (download: Download, signal: Signal) => Readable | undefined

const checkMs = 1_000

/**
 * Limits the downloads in progress, apart from all other requests: slow ones never make listings `overloaded`. Checks the grant of
 * each once a second, and fails its stream if its client has lost access.
 */
export const downloadLimit = (max: number, metrics: Metrics | undefined): BeginDownload => {
  let inProgress = 0
  const add = (change: 1 | -1): void => {
    inProgress += change
    metrics?.setDownloads(inProgress)
  }
  return ({ kind, authorizeAgain, begin }, signal) => {
    if (inProgress >= max || signal.aborted) return undefined
    add(1)
    metrics?.beganDownload(kind)
    const stream = begin()
    const timer = setInterval(async () => {
      const authorized = await authorizeAgain()
      if (E.isLeft(authorized)) stream.destroy(new FailedStream(authorized.left))
    }, checkMs).unref()
    signal.addEventListener('abort', () => {
      clearInterval(timer)
      add(-1)
    })
    return stream
  }
}
