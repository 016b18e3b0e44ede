import { lazy, Suspense } from 'react';
import { Route, Routes, useLocation } from 'react-router';
import { NavigationProgress } from '@/components/navigation-progress';
import { LoadingScreen } from '@/components/loading-screen';
import { OfflineBar } from '@/components/offline-bar';
import { Toaster } from '@/components/ui/toaster';
import { screenWithTexts } from '@/lib/i18n/screen-with-texts';
import { ErrorBoundary } from './error-boundary';
import { NotFoundPage } from './routes/not-found';
import { ProblemPage } from './routes/problem';

const LandingRoute = screenWithTexts(['landing', 'tools'], () => import('./routes/landing'));
const AboutUsRoute = screenWithTexts(['pages'], () => import('./routes/about-us'));
const AboutRoute = screenWithTexts(['pages'], () => import('./routes/about'));
const FaqsRoute = screenWithTexts(['pages'], () => import('./routes/faqs'));
const SitemapRoute = screenWithTexts(['pages'], () => import('./routes/sitemap'));
const TermsRoute = screenWithTexts(['pages'], () => import('./routes/terms'));
const PrivacyRoute = screenWithTexts(['pages'], () => import('./routes/privacy'));
const PublicLessonPlanRoute = screenWithTexts(
  ['builder', 'lessons', 'previews'],
  () => import('./routes/public-lesson-plan'),
);
const PublicQuestionPaperRoute = screenWithTexts(
  ['builder', 'papers', 'previews'],
  () => import('./routes/public-question-paper'),
);
const PublicTeachingAidsRoute = screenWithTexts(
  ['aids', 'builder', 'previews'],
  () => import('./routes/public-teaching-aids'),
);
const PublicCommunicationRoute = screenWithTexts(
  ['builder', 'communications', 'previews'],
  () => import('./routes/public-communication'),
);
const QueryLayout = lazy(() => import('./query-layout'));
const BlogsRoute = screenWithTexts(['blog'], () => import('./routes/blogs'));
const BlogPostRoute = screenWithTexts(['blog'], () => import('./routes/blog-post'));
const AccountLayout = lazy(() => import('./account-layout'));
const RequireSession = lazy(() =>
  import('./account-layout').then((area) => ({ default: area.RequireSession })),
);
const AuthRoute = screenWithTexts(['auth'], () => import('./routes/auth'));
const SubscriptionRoute = screenWithTexts(['account', 'payments'], () => import('./routes/subscription'));
const HomeRoute = screenWithTexts(['account', 'payments', 'tools'], () => import('./routes/home'));
const QuestionPaperRoute = screenWithTexts(
  ['account', 'builder', 'papers', 'tools'],
  () => import('./routes/question-paper'),
);
const TeachingAidsRoute = screenWithTexts(
  ['account', 'aids', 'builder', 'tools'],
  () => import('./routes/teaching-aids'),
);
const CommunicationToolRoute = screenWithTexts(
  ['account', 'builder', 'communications', 'payments', 'tools'],
  () => import('./routes/communication-tool'),
);
const ProfileRoute = screenWithTexts(['settings'], () => import('./routes/profile'));
const SettingsRoute = screenWithTexts(['settings'], () => import('./routes/settings'));
const AdminRoute = screenWithTexts(['admin'], () => import('./routes/admin'));
const LessonPlanRoute = screenWithTexts(
  ['account', 'builder', 'lessons', 'tools'],
  () => import('./routes/lesson-plan'),
);

/** Every address of the application. Only the account area loads the API client. */
export function App() {
  const { pathname } = useLocation();
  return (
    <ErrorBoundary path={pathname}>
      <OfflineBar />
      <NavigationProgress />
      <Suspense fallback={<LoadingScreen />}>
        <Routes>
          <Route path="/" element={<LandingRoute />} />
          <Route path="/about-us" element={<AboutUsRoute />} />
          <Route path="/about" element={<AboutRoute />} />
          <Route path="/faqs" element={<FaqsRoute />} />
          <Route path="/sitemap" element={<SitemapRoute />} />
          <Route path="/terms" element={<TermsRoute />} />
          <Route path="/privacy" element={<PrivacyRoute />} />
          <Route path="/public-lesson-plan" element={<PublicLessonPlanRoute />} />
          <Route path="/public-question-paper" element={<PublicQuestionPaperRoute />} />
          <Route path="/public-teaching-aids" element={<PublicTeachingAidsRoute />} />
          <Route path="/public-communication-tool" element={<PublicCommunicationRoute />} />
          <Route element={<QueryLayout />}>
            <Route path="/blogs" element={<BlogsRoute />} />
            <Route path="/blogs/:id" element={<BlogPostRoute />} />
          </Route>
          <Route path="/error" element={<ProblemPage kind="error" />} />
          <Route path="/network-error" element={<ProblemPage kind="network" />} />
          <Route element={<AccountLayout />}>
            <Route path="/auth" element={<AuthRoute />} />
            <Route path="/teaching-aids" element={<TeachingAidsRoute />} />
            <Route path="/subscription" element={<SubscriptionRoute />} />
            <Route element={<RequireSession />}>
              <Route path="/home" element={<HomeRoute />} />
              <Route path="/lesson-plan" element={<LessonPlanRoute />} />
              <Route path="/question-paper" element={<QuestionPaperRoute />} />
              <Route path="/profile" element={<ProfileRoute />} />
              <Route path="/settings" element={<SettingsRoute />} />
              <Route path="/admin" element={<AdminRoute />} />
              <Route path="/communication-tool" element={<CommunicationToolRoute />} />
            </Route>
          </Route>
          <Route path="*" element={<NotFoundPage />} />
        </Routes>
      </Suspense>
      <Toaster />
    </ErrorBoundary>
  );
}
