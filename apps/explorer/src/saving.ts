// Downloads of files and archives.
import { announce } from './announcements.js'
import { type FileRequest, fetchContent, probeContent, publicUrl, readBlob } from './fileRequests.js'
import { blobType } from './fileTypes.js'
import { formatSize } from './format.js'
import { words } from './preferences.js'

const clickLink = (href: string, name: string): void => {
  const link = document.createElement('a')
  link.href = href
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
}

/** Progress is announced this often. */
const progressMs = 1000

const saveBlob = async (request: FileRequest, name: string): Promise<void> => {
  const found = await fetchContent(request, new AbortController().signal)
  if (typeof found === 'string') return announce(words().files.failures[found])
  let shownAt = 0
  const blob = await readBlob(found, blobType(name), (bytes) => {
    if (performance.now() - shownAt < progressMs) return
    shownAt = performance.now()
    announce(words().files.downloading(formatSize(BigInt(bytes))))
  })
  if (blob === undefined) return announce(words().files.failures.failed)
  const url = URL.createObjectURL(blob)
  clickLink(url, name)
  announce(words().files.downloaded)
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Saves a file, or a folder as an archive. A visitor's browser streams it; an owner's page fetches it. */
export const save = async (request: FileRequest): Promise<void> => {
  const { place, isArchive = false } = request
  const base = place.names.at(-1) ?? 'files'
  const name = isArchive ? `${base}.zip` : base
  const url = publicUrl(request)
  if (url === undefined) return saveBlob(request, name)
  const failure = await probeContent(request)
  if (failure !== undefined) return announce(words().files.failures[failure])
  clickLink(url, name)
}
