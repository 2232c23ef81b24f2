// The content of a file, in place.
import type { TreeFile } from '@canopy/client'
import { useEffect, useState } from 'preact/hooks'
import { type FileFailure, fetchContent, probeContent, publicUrl, readBlob } from './fileRequests.js'
import { blobType, type Preview, previewOf } from './fileTypes.js'
import { formatSize } from './format.js'
import { words } from './preferences.js'
import { readText } from './readText.js'
import { isPreview, type Place } from './routes.js'

/** Larger files of owners load on demand, because the page fetches them whole. */
const maxAutomaticBytes = 20_000_000n

const loadsAtOnce = (place: Place, { size }: TreeFile, preview: Preview): boolean => {
  if (preview === 'text' || place.view.as === 'visitor') return true
  return preview === 'image' && size <= maxAutomaticBytes
}

type Content =
  | { readonly is: 'loading'; readonly bytes: number }
  | { readonly is: 'failed'; readonly failure: FileFailure }
  /** For elements: a `blob:` URL of an owner's file, or the address of a visitor's one. */
  | { readonly is: 'url'; readonly url: string }
  | { readonly is: 'text'; readonly text: string; readonly isCut: boolean }

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
  if (preview === 'text') {
    const read = await readText(found).catch(() => undefined)
    return show(read === undefined ? { is: 'failed', failure: 'failed' } : { is: 'text', ...read })
  }
  const blob = await readBlob(found, blobType(place.names.at(-1) ?? ''), (bytes) => show({ is: 'loading', bytes }))
  show(blob === undefined ? { is: 'failed', failure: 'failed' } : { is: 'url', url: URL.createObjectURL(blob) })
}

/** Loads what a preview shows, once wanted. */
const useContent = (
  place: Place,
  file: TreeFile,
  preview: Preview | undefined,
  isWanted: boolean,
): Content | undefined => {
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
  return content
}

interface MediaProps {
  readonly preview: Preview
  readonly name: string
  readonly url: string
  readonly onError: () => void
}

const Media = ({ preview, name, url, onError }: MediaProps) => {
  if (preview === 'image') return <img class="media" src={url} alt={name} onError={onError} />
  const Player = preview === 'audio' ? 'audio' : 'video'
  return <Player class="media" src={url} controls aria-label={name} onError={onError} />
}

const Message = ({ failure }: { readonly failure: FileFailure | 'cannot show' }) => (
  <p class="quiet" role="status">
    {words().files.failures[failure]}
  </p>
)

interface ShownProps {
  readonly content: Content
  readonly preview: Preview
  readonly place: Place
  readonly name: string
}

/** After an element failed: asks whether the browser or the service is the cause. */
const useBroken = (place: Place): readonly [FileFailure | 'cannot show' | undefined, () => void] => {
  const [broken, setBroken] = useState<FileFailure | 'cannot show'>()
  return [broken, () => void probeContent({ place }).then((failure) => setBroken(failure ?? 'cannot show'))]
}

const Shown = ({ content, preview, place, name }: ShownProps) => {
  const [broken, onError] = useBroken(place)
  if (broken !== undefined) return <Message failure={broken} />
  switch (content.is) {
    case 'loading':
      return (
        <p class="quiet" role="status">
          {words().files.loading(formatSize(BigInt(content.bytes)))}
        </p>
      )
    case 'failed':
      return <Message failure={content.failure} />
    case 'url':
      return <Media preview={preview} name={name} url={content.url} onError={onError} />
    case 'text':
      return (
        <>
          <pre class="content" tabIndex={0}>
            {content.text}
          </pre>
          {content.isCut && <p class="quiet">{words().files.cut}</p>}
        </>
      )
  }
}

interface FileViewProps {
  readonly place: Place
  readonly file: TreeFile
}

export const FileView = ({ place, file }: FileViewProps) => {
  const preview = previewOf(file.name)
  const [isAsked, setAsked] = useState(false)
  const isWanted = preview !== undefined && (isAsked || loadsAtOnce(place, file, preview))
  const content = useContent(place, file, preview, isWanted)
  if (preview === undefined || isPreview(place.view)) return null
  if (!isWanted)
    return (
      <button type="button" onClick={() => setAsked(true)}>
        {words().files.show(formatSize(file.size))}
      </button>
    )
  return content === undefined ? null : <Shown content={content} preview={preview} place={place} name={file.name} />
}
