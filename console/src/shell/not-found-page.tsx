import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'

export function NotFoundPage() {
  return (
    <main className="p-4 sm:p-6">
      <NotFound />
    </main>
  )
}

/** Inside a layout that has its own `main`. */
export function NotFound() {
  return (
    <>
      <PageHeader title="Page not found" />
      <p>
        There is no page at this address. <Link href="/stores">Go to the stores</Link>
      </p>
    </>
  )
}
