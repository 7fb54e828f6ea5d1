import { PageHeader } from '#ui/data/page-header.tsx'

export default function RevealedPage() {
  return <PageHeader title="Revealed" />
}
