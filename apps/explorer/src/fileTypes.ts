// What the page shows of a file in place. Content is hostile: the name's extension decides, and only types that run no script.

export type Preview = 'image' | 'audio' | 'video' | 'text'

const types: Readonly<Record<Exclude<Preview, 'text'>, Readonly<Record<string, string>>>> = {
  image: {
    apng: 'image/apng',
    avif: 'image/avif',
    bmp: 'image/bmp',
    gif: 'image/gif',
    heic: 'image/heic',
    ico: 'image/x-icon',
    jpeg: 'image/jpeg',
    jpg: 'image/jpeg',
    png: 'image/png',
    webp: 'image/webp',
  },
  audio: {
    aac: 'audio/aac',
    flac: 'audio/flac',
    m4a: 'audio/mp4',
    mp3: 'audio/mpeg',
    oga: 'audio/ogg',
    ogg: 'audio/ogg',
    opus: 'audio/ogg',
    wav: 'audio/wav',
    weba: 'audio/webm',
  },
  video: {
    m4v: 'video/mp4',
    mkv: 'video/x-matroska',
    mov: 'video/quicktime',
    mp4: 'video/mp4',
    ogv: 'video/ogg',
    webm: 'video/webm',
  },
}

/** These files appear as their source text, also pages and drawings. */
const textExtensions = new Set(
  (
    'c cfg conf cpp cs css csv diff go h html ics ini java js json jsx kt log lua md php pl py rb rs rst sh sql srt ' +
    'svg swift tex toml ts tsv tsx txt vcf vtt xml yaml yml'
  ).split(' '),
)

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

export const previewOf = (name: string): Preview | undefined => {
  const extension = extensionOf(name)
  if (textExtensions.has(extension)) return 'text'
  return (['image', 'audio', 'video'] as const).find((kind) => Object.hasOwn(types[kind], extension))
}

/** Returns the type of a `blob:` URL. */
export const blobType = (name: string): string => {
  const extension = extensionOf(name)
  const kind = previewOf(name)
  return (kind !== undefined && kind !== 'text' && types[kind][extension]) || 'application/octet-stream'
}
