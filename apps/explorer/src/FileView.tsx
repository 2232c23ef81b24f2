// The content of a file, in place.
import type { TreeFile } from '@canopy/client'
import { useState } from 'preact/hooks'
import { type FileFailure, probeContent } from './fileRequests.js'
import { type Preview, previewOf } from './fileTypes.js'
import { formatSize } from './format.js'
import { words } from './preferences.js'
import { isPreview, type Place } from './routes.js'
import { type Content, useContent } from './useContent.js'

/** Larger files of owners load on demand, because the page fetches them whole. */
const maxAutomaticBytes = 20_000_000n

const loadsAtOnce = (place: Place, { size }: TreeFile, preview: Preview): boolean => {
  if (preview === 'text' || place.view.as === 'visitor') return true
  return preview === 'image' && size <= maxAutomaticBytes
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
  const [content] = useContent(place, file, preview, isWanted)
  if (preview === undefined || isPreview(place.view)) return null
  if (!isWanted)
    return (
      <button type="button" onClick={() => setAsked(true)}>
        {words().files.show(formatSize(file.size))}
      </button>
    )
  return content === undefined ? null : <Shown content={content} preview={preview} place={place} name={file.name} />
}
