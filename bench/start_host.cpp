// Start-up baseline of the host device: a C++ program that does nothing.
int main() {}
