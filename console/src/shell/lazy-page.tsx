import { type ComponentType, use } from 'react'
import { markOutdatedOrOffline } from '#api/connection.ts'

/** A file of the console is not there: the server is away, or serves a newer version. */
export class MissingFileError extends Error {}

/** A page that is loaded when it is needed, or when the user points at a link to it. A failed load can be tried again. */
export function lazyPage(load: () => Promise<{ default: ComponentType }>) {
  let Page: ComponentType | undefined
  let loading: Promise<void> | undefined
  const preload = (): Promise<void> => {
    loading ??= load().then(
      (module) => {
        Page = module.default
      },
      (cause) => {
        loading = undefined
        void markOutdatedOrOffline()
        throw new MissingFileError('This page could not be loaded.', { cause })
      },
    )
    return loading
  }
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each route, when the module is loaded
  function LazyPage() {
    if (!Page) use(preload())
    return Page && <Page />
  }
  return Object.assign(LazyPage, { preload })
}
