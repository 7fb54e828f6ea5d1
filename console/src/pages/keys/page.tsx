import { PageHeader } from '#ui/data/page-header.tsx'

export default function KeysPage() {
  return <PageHeader title="Keys" />
}
