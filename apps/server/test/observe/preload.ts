/** Makes a server process run a module of this source first. */
export const preload = (source: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}`,
})
