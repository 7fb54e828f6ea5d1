import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/** After a change of page: the focus goes to its heading, and its title is read out. Filters and pages of a list stay put. */
export function RouteAnnouncer() {
  const router = useRouter()
  const [title, setTitle] = useState('')
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return
        document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
        setTitle(document.title)
      }),
    [router],
  )
  return (
    <div aria-live="polite" className="sr-only">
      {title}
    </div>
  )
}
