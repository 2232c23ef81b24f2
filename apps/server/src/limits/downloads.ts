import type { Signal } from '@canopy/domain'
import type { Download } from '../http/HttpResponse.js'
import type { Metrics } from '../observe/prometheus.js'

/** Counts a download until its signal aborts. Returns false if too many are in progress: then it must not be sent. */
export type BeginDownload = (kind: Download['kind'], signal: Signal) => boolean

/** Limits the downloads in progress, apart from all other requests: slow ones never make listings `overloaded`. */
export const downloadLimit = (max: number, metrics: Metrics | undefined): BeginDownload => {
  let inProgress = 0
  const add = (change: 1 | -1): void => {
    inProgress += change
    metrics?.setDownloads(inProgress)
  }
  return (kind, signal) => {
    if (inProgress >= max || signal.aborted) return false
    add(1)
    metrics?.beganDownload(kind)
    signal.addEventListener('abort', () => add(-1))
    return true
  }
}
