import { PageHeader } from '#ui/data/page-header.tsx'

export default function PeoplePage() {
  return <PageHeader title="People" />
}
