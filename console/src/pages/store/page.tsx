import { useParams } from '@tanstack/react-router'
import { PageHeader } from '#ui/data/page-header.tsx'

export default function StorePage() {
  const { domain } = useParams({ from: '/app/stores/$domain' })
  return <PageHeader title={domain} />
}
