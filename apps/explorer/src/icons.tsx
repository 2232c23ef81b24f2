import type { DirectoryItem } from '@canopy/client'
import type { ButtonHTMLAttributes } from 'preact'

// Strokes in a 24 × 24 box.
const shapes = {
  folder: 'M3 7a2 2 0 0 1 2-2h4l2 2.5h8a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z',
  file: 'M6 3h8l4 4.5V21H6zM14 3v5h4',
  image: 'M4 5h16v14H4zM4 16l4.5-4.5L13 16l2.5-2.5L20 18M15.5 9.5h.01',
  video: 'M4 5h16v14H4zM10 9l5 3-5 3z',
  audio: 'M9 18V6l10-2v12M9 18a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM19 16a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z',
  archive: 'M4 8h16v12H4zM3 4h18v4H3zM10 12h4',
  text: 'M6 3h8l4 4.5V21H6zM14 3v5h4M9 12h6M9 16h6',
  code: 'M6 3h8l4 4.5V21H6zM14 3v5h4M11 12l-2 2.5 2 2.5M13 12l2 2.5-2 2.5',
  public: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 3 3.5 6 3.5 9s-.5 6-3.5 9c-3-3-3.5-6-3.5-9S9 6 12 3z',
  hidden: 'M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM4 20 20 4',
  private: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  theme: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 21 21',
  missing: 'M6 3h8l4 4.5V21H6zM9.5 12l5 5M14.5 12l-5 5',
  away: 'M7 18a4 4 0 0 1-.5-8A6 6 0 0 1 18 9.5a4.3 4.3 0 0 1-.5 8.5zM10 12l4 4M14 12l-4 4',
  wait: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2',
  trigger: 'M13 3 5 14h6l-1 7 8-11h-6z',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  up: 'M12 19V5M6 11l6-6 6 6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  twisty: 'M9 6l6 6-6 6',
  outline: 'M4 5h16v14H4zM10 5v14',
  why: 'M4 5h16v14H4zM14 5v14',
  close: 'M6 6l12 12M18 6 6 18',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
} as const

export type IconName = keyof typeof shapes

interface IconProps {
  readonly name: IconName
  readonly class?: string
  /** For screen readers, unless text beside the icon has the same meaning. */
  readonly label?: string
}

export const Icon = ({ name, class: className = '', label }: IconProps) => (
  <svg
    class={`icon ${className}`}
    viewBox="0 0 24 24"
    {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
  >
    <path d={shapes[name]} />
  </svg>
)

interface IconButtonProps extends Pick<ButtonHTMLAttributes, 'class' | 'tabIndex' | 'aria-expanded'> {
  readonly icon: IconName
  readonly label: string
  readonly onClick: () => void
}

export const IconButton = ({ icon, label, class: className = 'square', ...others }: IconButtonProps) => (
  <button type="button" class={className} aria-label={label} title={label} {...others}>
    <Icon name={icon} />
  </button>
)

export const Logo = () => (
  <svg class="logo" viewBox="0 0 24 24" aria-hidden="true">
    <path class="trunk" d="M11 14h2v8h-2z" />
    <path class="crown" d="M12 2a7 7 0 0 0-6.3 4.1A5.5 5.5 0 0 0 7.5 17h9a5.5 5.5 0 0 0 1.8-10.9A7 7 0 0 0 12 2z" />
  </svg>
)

export type Kind = 'folder' | 'file' | 'image' | 'video' | 'audio' | 'archive' | 'text' | 'code'

const extensions: { readonly [K in Exclude<Kind, 'folder' | 'file'>]: string } = {
  image: 'arw avif bmp cr2 cr3 dng gif heic heif ico jpeg jpg nef orf png psd raf raw rw2 svg tif tiff webp xcf',
  video: '3gp avi m2ts m4v mkv mov mp4 mpeg mpg mts ogv webm wmv',
  audio: 'aac aif aiff flac m4a mid mp3 oga ogg opus wav wma',
  archive: '7z bz2 deb dmg gz img iso jar rar rpm tar tgz xz zip zst',
  text: 'csv doc docx epub ics log md numbers odp ods odt pages pdf ppt pptx rst rtf srt tex tsv txt vcf xls xlsx',
  code: 'c cpp cs css go h html java js json jsx kt lua php pl py rb rs sh sql swift toml ts tsx xml yaml yml',
}

const kinds = new Map(
  Object.entries(extensions).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind as Kind] as const)),
)

export const kindOf = ({ is_file, name }: Pick<DirectoryItem, 'is_file' | 'name'>): Kind =>
  is_file ? (kinds.get(/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '') ?? 'file') : 'folder'
