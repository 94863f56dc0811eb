/* Random bytes as Rust's library asks Windows 10 for them: Wine 8 lacks the library that has this function. contrib/try.sh compiles it. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length)
{
    return RtlGenRandom(data, (ULONG)length);
}
