import { PageHeader } from '#ui/data/page-header.tsx'

export default function UsagePage() {
  return <PageHeader title="Usage" />
}
