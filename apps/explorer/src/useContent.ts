import type { TreeFile } from '@canopy/client'
import { useEffect, useState } from 'preact/hooks'
import { type FileFailure, fetchContent, publicUrl, readBlob } from './fileRequests.js'
import { blobType, type Preview } from './fileTypes.js'
import type { Place } from './routes.js'

export type Content =
  | { readonly is: 'loading'; readonly bytes: number }
  | { readonly is: 'failed'; readonly failure: FileFailure }
  /** For elements: a `blob:` URL of an owner's file, or the address of a visitor's one. */
  | { readonly is: 'url'; readonly url: string }
  | { readonly is: 'text'; readonly text: string; readonly isCut: boolean }

/** In bytes of UTF-8, or fewer characters. Longer texts are cut, because few people read on. */
const maxTextBytes = 262_144

const readText = async ({ body }: Response): Promise<Content> => {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    text += decoder.decode(next.value, { stream: true })
    bytes += next.value.length
    if (bytes < maxTextBytes) continue
    await reader?.cancel()
    return { is: 'text', text: text.slice(0, maxTextBytes), isCut: true }
  }
  return { is: 'text', text: text + decoder.decode(), isCut: false }
}

const loadContent = async (
  place: Place,
  preview: Preview,
  signal: AbortSignal,
  show: (content: Content) => void,
): Promise<void> => {
  const url = preview === 'text' ? undefined : publicUrl({ place })
  if (url !== undefined) return show({ is: 'url', url })
  const found = await fetchContent({ place }, signal)
  if (typeof found === 'string') return show({ is: 'failed', failure: found })
  if (preview === 'text') return show(await readText(found).catch((): Content => ({ is: 'failed', failure: 'failed' })))
  const blob = await readBlob(found, blobType(place.names.at(-1) ?? ''), (bytes) => show({ is: 'loading', bytes }))
  show(blob === undefined ? { is: 'failed', failure: 'failed' } : { is: 'url', url: URL.createObjectURL(blob) })
}

/** Loads what a preview shows, once wanted. */
export const useContent = (
  place: Place,
  file: TreeFile,
  preview: Preview | undefined,
  isWanted: boolean,
): readonly [content: Content | undefined, show: (content: Content) => void] => {
  const [content, setContent] = useState<Content>()
  useEffect(() => {
    if (preview === undefined || !isWanted) return
    const controller = new AbortController()
    let blobUrl: string | undefined
    const show = (loaded: Content): void => {
      const url = loaded.is === 'url' && loaded.url.startsWith('blob:') ? loaded.url : undefined
      if (controller.signal.aborted) {
        if (url !== undefined) URL.revokeObjectURL(url)
        return
      }
      blobUrl = url
      setContent(loaded)
    }
    void loadContent(place, preview, controller.signal, show)
    return () => {
      controller.abort()
      setContent(undefined)
      if (blobUrl !== undefined) URL.revokeObjectURL(blobUrl)
    }
  }, [place, file, preview, isWanted])
  return [content, setContent]
}
