import { lazy, Suspense } from 'react';
import { Route, Routes } from 'react-router';
import { LoadingScreen } from '@/components/loading-screen';
import { OfflineBar } from '@/components/offline-bar';
import { Toaster } from '@/components/ui/toaster';
import { ErrorBoundary } from './error-boundary';
import { beingBuiltPublic, beingBuiltSignedIn, BeingBuiltPage } from './routes/being-built';
import { NotFoundPage } from './routes/not-found';
import { ProblemPage } from './routes/problem';

const LandingRoute = lazy(() => import('./routes/landing'));
const AccountArea = lazy(() => import('./account-area'));
const SignedInArea = lazy(() => import('./account-area').then((area) => ({ default: area.SignedInArea })));
const AuthRoute = lazy(() => import('./routes/auth'));
const HomeRoute = lazy(() => import('./routes/home'));
const LessonPlanRoute = lazy(() => import('./routes/lesson-plan'));

/** Every address of the application. Only the account area loads the API client. */
export function App() {
  return (
    <ErrorBoundary>
      <OfflineBar />
      <Suspense fallback={<LoadingScreen />}>
        <Routes>
          <Route path="/" element={<LandingRoute />} />
          {beingBuiltPublic.map((path) => (
            <Route key={path} path={path} element={<BeingBuiltPage home="/" />} />
          ))}
          <Route path="/error" element={<ProblemPage kind="error" />} />
          <Route path="/network-error" element={<ProblemPage kind="network" />} />
          <Route element={<AccountArea />}>
            <Route path="/auth" element={<AuthRoute />} />
            <Route element={<SignedInArea />}>
              <Route path="/home" element={<HomeRoute />} />
              <Route path="/lesson-plan" element={<LessonPlanRoute />} />
              {beingBuiltSignedIn.map((path) => (
                <Route key={path} path={path} element={<BeingBuiltPage home="/home" />} />
              ))}
            </Route>
          </Route>
          <Route path="*" element={<NotFoundPage />} />
        </Routes>
      </Suspense>
      <Toaster />
    </ErrorBoundary>
  );
}
